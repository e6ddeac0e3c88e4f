// Package wire reads and writes Minecraft's packets over a connection to an untrusted peer.
//
// go-mc's own reader allocates whatever length the peer claims and inflates without a limit. This package has limits.
// It also records the first bytes from the peer, to identify a peer that is not a game.
package wire

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"
)

// Limits that Minecraft itself sets for a packet.
const (
	MaxFrame    = 1<<21 - 1 // bytes on the wire: the length has at most three bytes
	MaxInflated = 8 << 20   // bytes of a compressed packet once inflated
	headBytes   = 64        // recorded first bytes from the peer
	minRead     = 4 << 10
)

// ErrMalformed is wrapped by errors about bytes that are not a packet.
var ErrMalformed = errors.New("malformed packet")

// Conn carries packets. It is not safe for concurrent reads, nor for concurrent writes.
type Conn struct {
	raw       net.Conn
	head      []byte // see Head
	buffer    []byte // received and not yet consumed
	consumed  int    // bytes at the start of buffer that belong to the last returned packet
	threshold int    // minimum size of compressed packets; negative before compression is agreed
	inflated  bytes.Buffer
	inflater  io.ReadCloser
}

// NewConn wraps a connection. The caller closes it.
func NewConn(raw net.Conn) *Conn {
	return &Conn{raw: raw, threshold: -1}
}

// Compress switches both directions to the compressed form.
func (c *Conn) Compress(threshold int) { c.threshold = threshold }

// SetDeadline bounds all future reads and writes, as in net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return c.raw.SetDeadline(t) }

// Head returns the first bytes that the peer sent, at most 64.
func (c *Conn) Head() []byte { return c.head }

// Send writes one packet.
func (c *Conn) Send(id int32, fields ...pk.FieldEncoder) error {
	packet := pk.Marshal(id, fields...)
	return packet.Pack(c.raw, c.threshold)
}

// Receive reads the next packet. Its data is valid until the next call. After a timeout, Receive can be called again
// with a new deadline: it continues the partly received packet.
func (c *Conn) Receive() (Packet, error) {
	c.buffer = c.buffer[:copy(c.buffer, c.buffer[c.consumed:])]
	c.consumed = 0
	for {
		size, prefix, err := frameLength(c.buffer)
		if err != nil {
			return Packet{}, err
		}
		if prefix > 0 && len(c.buffer) >= prefix+size {
			c.consumed = prefix + size
			return c.unpack(c.buffer[prefix:c.consumed])
		}
		if err := c.fill(prefix + size); err != nil {
			return Packet{}, err
		}
	}
}

// fill reads once, into a buffer with room for want bytes.
func (c *Conn) fill(want int) error {
	c.buffer = slices.Grow(c.buffer, max(want-len(c.buffer), minRead))
	n, err := c.raw.Read(c.buffer[len(c.buffer):cap(c.buffer)])
	if room := headBytes - len(c.head); room > 0 {
		c.head = append(c.head, c.buffer[len(c.buffer):len(c.buffer)+min(n, room)]...)
	}
	c.buffer = c.buffer[:len(c.buffer)+n]
	if n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) && len(c.buffer) > 0 {
		return fmt.Errorf("connection closed in the middle of a packet: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// frameLength reads a frame's length from the start of data. prefix is 0 while the length is incomplete.
func frameLength(data []byte) (size, prefix int, err error) {
	for i := range 3 {
		if i >= len(data) {
			return 0, 0, nil
		}
		size |= int(data[i]&0x7f) << (7 * i)
		if data[i]&0x80 != 0 {
			continue
		}
		if size == 0 {
			return 0, 0, fmt.Errorf("%w: empty frame", ErrMalformed)
		}
		return size, i + 1, nil
	}
	return 0, 0, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxFrame)
}

func (c *Conn) unpack(frame []byte) (Packet, error) {
	if c.threshold < 0 {
		return parse(frame)
	}
	return c.decompress(frame)
}

func (c *Conn) decompress(frame []byte) (Packet, error) {
	fields := NewFields(frame)
	size := int(fields.VarInt())
	if err := fields.Err(); err != nil {
		return Packet{}, err
	}
	body := fields.Rest()
	if size == 0 {
		return parse(body)
	}
	if size < c.threshold || size > MaxInflated {
		return Packet{}, fmt.Errorf("%w: claims to inflate to %d bytes (%d to %d are allowed)",
			ErrMalformed, size, c.threshold, MaxInflated)
	}
	if err := c.inflate(body, size); err != nil {
		return Packet{}, err
	}
	return parse(c.inflated.Bytes())
}

// inflate reads at most one byte more than the packet claims, so that it detects a bomb without inflating it.
func (c *Conn) inflate(body []byte, size int) error {
	if c.inflater == nil {
		inflater, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		c.inflater = inflater
	} else if err := c.inflater.(zlib.Resetter).Reset(bytes.NewReader(body), nil); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	c.inflated.Reset()
	c.inflated.Grow(size + 1 + bytes.MinRead)
	n, err := c.inflated.ReadFrom(io.LimitReader(c.inflater, int64(size)+1))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if n != int64(size) {
		return fmt.Errorf("%w: does not inflate to the claimed %d bytes", ErrMalformed, size)
	}
	return nil
}

func parse(data []byte) (Packet, error) {
	fields := NewFields(data)
	id := fields.VarInt()
	if err := fields.Err(); err != nil {
		return Packet{}, err
	}
	if id < 0 {
		return Packet{}, fmt.Errorf("%w: packet id %d", ErrMalformed, id)
	}
	return Packet{ID: id, Data: fields.Rest()}, nil
}
