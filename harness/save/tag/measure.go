package tag

import (
	"encoding/binary"
	"fmt"

	"github.com/Tnze/go-mc/nbt"
)

// Measure returns the size in bytes of the tag at the start of data. named says whether the root has a name, as in
// files but not on the network. It allocates nothing.
func Measure(data []byte, named bool) (int, error) {
	if len(data) > MaxBytes {
		data = data[:MaxBytes]
	}
	m := meter{data: data}
	kind, err := m.byte()
	if err != nil {
		return 0, err
	}
	if kind == nbt.TagEnd {
		return m.at, nil
	}
	if named {
		if err := m.text(); err != nil {
			return 0, err
		}
	}
	if err := m.payload(kind, 0); err != nil {
		return 0, err
	}
	return m.at, nil
}

// meter walks over a tag without storing any of it.
type meter struct {
	data []byte
	at   int
	tags int
}

func (m *meter) skip(n int) error {
	if n < 0 || n > len(m.data)-m.at {
		return fmt.Errorf("%w: %d bytes wanted at offset %d of %d", ErrMalformed, n, m.at, len(m.data))
	}
	m.at += n
	return nil
}

func (m *meter) byte() (byte, error) {
	if err := m.skip(1); err != nil {
		return 0, err
	}
	return m.data[m.at-1], nil
}

func (m *meter) length() (int, error) {
	if err := m.skip(4); err != nil {
		return 0, err
	}
	n := int32(binary.BigEndian.Uint32(m.data[m.at-4:]))
	if n < 0 {
		return 0, fmt.Errorf("%w: negative length at offset %d", ErrMalformed, m.at-4)
	}
	return int(n), nil
}

func (m *meter) text() error {
	if err := m.skip(2); err != nil {
		return err
	}
	n := binary.BigEndian.Uint16(m.data[m.at-2:])
	if n > 1<<15-1 { // go-mc reads the length as signed
		return fmt.Errorf("%w: string of %d bytes at offset %d", ErrMalformed, n, m.at-2)
	}
	return m.skip(int(n))
}

func (m *meter) count(depth int) error {
	m.tags++
	if m.tags > MaxTags {
		return fmt.Errorf("%w: more than %d tags", ErrMalformed, MaxTags)
	}
	if depth > MaxDepth {
		return fmt.Errorf("%w: deeper than %d", ErrMalformed, MaxDepth)
	}
	return nil
}

func (m *meter) payload(kind byte, depth int) error {
	if err := m.count(depth); err != nil {
		return err
	}
	switch kind {
	case nbt.TagByte:
		return m.skip(1)
	case nbt.TagShort:
		return m.skip(2)
	case nbt.TagInt, nbt.TagFloat:
		return m.skip(4)
	case nbt.TagLong, nbt.TagDouble:
		return m.skip(8)
	case nbt.TagString:
		return m.text()
	case nbt.TagByteArray:
		return m.array(1)
	case nbt.TagIntArray:
		return m.array(4)
	case nbt.TagLongArray:
		return m.array(8)
	case nbt.TagList:
		return m.list(depth)
	case nbt.TagCompound:
		return m.compound(depth)
	}
	return fmt.Errorf("%w: unknown kind %#02x at offset %d", ErrMalformed, kind, m.at)
}

func (m *meter) array(width int) error {
	n, err := m.length()
	if err != nil {
		return err
	}
	return m.skip(n * width)
}

func (m *meter) list(depth int) error {
	kind, err := m.byte()
	if err != nil {
		return err
	}
	n, err := m.length()
	if err != nil {
		return err
	}
	if kind == nbt.TagEnd {
		if n > 0 {
			return fmt.Errorf("%w: list of %d ends at offset %d", ErrMalformed, n, m.at)
		}
		return nil
	}
	for range n {
		if err := m.payload(kind, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) compound(depth int) error {
	for {
		kind, err := m.byte()
		if err != nil {
			return err
		}
		if kind == nbt.TagEnd {
			return nil
		}
		if err := m.text(); err != nil {
			return err
		}
		if err := m.payload(kind, depth+1); err != nil {
			return err
		}
	}
}
