package tag

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/Tnze/go-mc/nbt"
)

// go-mc's encoder writes maps in random order and turns a list of numbers into an array, so this package has its own.

func kindOf(value any) (byte, error) {
	switch value.(type) {
	case int8:
		return nbt.TagByte, nil
	case int16:
		return nbt.TagShort, nil
	case int32:
		return nbt.TagInt, nil
	case int64:
		return nbt.TagLong, nil
	case float32:
		return nbt.TagFloat, nil
	case float64:
		return nbt.TagDouble, nil
	case string:
		return nbt.TagString, nil
	case []byte:
		return nbt.TagByteArray, nil
	case []int32:
		return nbt.TagIntArray, nil
	case []int64:
		return nbt.TagLongArray, nil
	case []any:
		return nbt.TagList, nil
	case Compound:
		return nbt.TagCompound, nil
	}
	return 0, fmt.Errorf("no NBT kind for %T", value)
}

func writePayload(out *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case int8, int16, int32, int64:
		return binary.Write(out, binary.BigEndian, v)
	case float32:
		return binary.Write(out, binary.BigEndian, math.Float32bits(v))
	case float64:
		return binary.Write(out, binary.BigEndian, math.Float64bits(v))
	case string:
		return writeText(out, v)
	case []byte:
		writeLength(out, len(v))
		out.Write(v)
		return nil
	case []int32:
		writeLength(out, len(v))
		return binary.Write(out, binary.BigEndian, v)
	case []int64:
		writeLength(out, len(v))
		return binary.Write(out, binary.BigEndian, v)
	case []any:
		return writeList(out, v)
	case Compound:
		return writeCompound(out, v)
	}
	return fmt.Errorf("no NBT kind for %T", value)
}

func writeLength(out *bytes.Buffer, n int) {
	_ = binary.Write(out, binary.BigEndian, int32(n)) // a bytes.Buffer never fails
}

func writeText(out *bytes.Buffer, s string) error {
	if len(s) > math.MaxInt16 {
		return fmt.Errorf("NBT string of %d bytes is over the limit of %d", len(s), math.MaxInt16)
	}
	_ = binary.Write(out, binary.BigEndian, uint16(len(s)))
	out.WriteString(s)
	return nil
}

func writeList(out *bytes.Buffer, list []any) error {
	var kind byte = nbt.TagEnd
	for i, element := range list {
		k, err := kindOf(element)
		if err != nil {
			return err
		}
		if i > 0 && k != kind {
			return fmt.Errorf("NBT list holds %T after elements of another kind", element)
		}
		kind = k
	}
	out.WriteByte(kind)
	writeLength(out, len(list))
	for _, element := range list {
		if err := writePayload(out, element); err != nil {
			return err
		}
	}
	return nil
}

func writeCompound(out *bytes.Buffer, compound Compound) error {
	for _, name := range slices.Sorted(maps.Keys(compound)) {
		value := compound[name]
		kind, err := kindOf(value)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		out.WriteByte(kind)
		if err := writeText(out, name); err != nil {
			return err
		}
		if err := writePayload(out, value); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	out.WriteByte(nbt.TagEnd)
	return nil
}
