package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

// Packet is a received packet.
type Packet struct {
	ID   int32
	Data []byte
}

// Fields returns a reader of the packet's fields.
func (p Packet) Fields() *Fields { return NewFields(p.Data) }

// Fields reads fields from the start of a packet's data. The first error sticks: after it every read returns the zero
// value, and Err returns the error.
type Fields struct {
	data []byte
	at   int
	err  error
}

// NewFields reads from data without copying it.
func NewFields(data []byte) *Fields { return &Fields{data: data} }

// Err returns the first error.
func (f *Fields) Err() error { return f.err }

// Rest reads and returns the remaining data.
func (f *Fields) Rest() []byte { return f.Bytes(len(f.data) - f.at) }

// Remaining returns the number of unread bytes.
func (f *Fields) Remaining() int { return len(f.data) - f.at }

// Fail records an error, unless there is one already.
func (f *Fields) Fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: offset %d: %s", ErrMalformed, f.at, fmt.Sprintf(format, args...))
	}
}

// Bytes reads n bytes. They are part of the packet, not a copy.
func (f *Fields) Bytes(n int) []byte {
	if f.err != nil {
		return nil
	}
	if n < 0 || n > len(f.data)-f.at {
		f.Fail("%d bytes wanted, %d left", n, len(f.data)-f.at)
		return nil
	}
	f.at += n
	return f.data[f.at-n : f.at : f.at]
}

// fixed is Bytes for at most 16 bytes; after an error it returns zeroes.
func (f *Fields) fixed(n int) []byte {
	if b := f.Bytes(n); b != nil {
		return b
	}
	return make([]byte, n)
}

func (f *Fields) Byte() byte      { return f.fixed(1)[0] }
func (f *Fields) Bool() bool      { return f.Byte() != 0 }
func (f *Fields) Short() int16    { return int16(binary.BigEndian.Uint16(f.fixed(2))) }
func (f *Fields) Int() int32      { return int32(binary.BigEndian.Uint32(f.fixed(4))) }
func (f *Fields) Long() int64     { return int64(binary.BigEndian.Uint64(f.fixed(8))) }
func (f *Fields) Float() float32  { return math.Float32frombits(uint32(f.Int())) }
func (f *Fields) Double() float64 { return math.Float64frombits(uint64(f.Long())) }

// UUID reads the 16 bytes of a UUID.
func (f *Fields) UUID() uuid.UUID { return uuid.UUID(f.fixed(16)) }

// VarInt reads a 32-bit integer of at most five bytes.
func (f *Fields) VarInt() int32 { return int32(f.variable(5)) }

// VarLong reads a 64-bit integer of at most ten bytes.
func (f *Fields) VarLong() int64 { return int64(f.variable(10)) }

func (f *Fields) variable(width int) uint64 {
	var value uint64
	for i := range width {
		b := f.Byte()
		value |= uint64(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return value
		}
	}
	f.Fail("variable-length number longer than %d bytes", width)
	return 0
}

// Count reads the length of an array whose elements take at least width bytes each, and refuses a length that exceeds
// the remaining data.
func (f *Fields) Count(width int) int {
	n := int(f.VarInt())
	if f.err == nil && (n < 0 || n > f.Remaining()/width) {
		f.Fail("array of %d", n)
		return 0
	}
	return n
}

// String reads a string of at most limit bytes.
func (f *Fields) String(limit int) string {
	n := int(f.VarInt())
	if f.err == nil && (n < 0 || n > limit) {
		f.Fail("string of %d bytes, at most %d are allowed", n, limit)
		return ""
	}
	b := f.Bytes(n)
	if !utf8.Valid(b) {
		f.Fail("string is not UTF-8")
		return ""
	}
	return string(b)
}

// NBT reads one nameless tag and returns its bytes.
func (f *Fields) NBT() []byte {
	if f.err != nil {
		return nil
	}
	n, err := tag.Measure(f.data[f.at:], false)
	if err != nil {
		f.Fail("%v", err)
		return nil
	}
	return f.Bytes(n)
}

// Position is the coordinates of a block.
type Position struct{ X, Y, Z int }

// Position reads a packed block position.
func (f *Fields) Position() Position {
	v := f.Long()
	return Position{X: int(v >> 38), Y: int(v << 52 >> 52), Z: int(v << 26 >> 38)}
}
