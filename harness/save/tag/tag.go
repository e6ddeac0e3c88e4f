// Package tag reads and writes NBT, Minecraft's binary tags, from untrusted sources.
//
// go-mc's decoder trusts lengths and recurses as deep as the data says. This package first measures everything against
// fixed limits, so that decoding can exhaust neither memory nor the stack. Its output is deterministic: equal values
// give equal bytes, so that an unchanged world does not look changed.
package tag

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/Tnze/go-mc/nbt"
)

// Compound is a compound tag. Values are int8, int16, int32, int64, float32, float64, string, []byte, []int32,
// []int64, Compound and []any (a list: all elements of one kind).
type Compound = map[string]any

// ErrMalformed is wrapped by every error about data that is not NBT or is outside the limits.
var ErrMalformed = errors.New("malformed NBT")

// Limits of accepted data.
const (
	MaxBytes = 16 << 20 // of one tag, uncompressed
	MaxDepth = 64       // nesting of compounds and lists; Minecraft itself stops at 512
	MaxTags  = 1 << 17  // compound entries and list elements, as each costs far more memory than the byte it may take
)

// Decode reads data, which must be exactly one named compound tag, as in Minecraft's files.
func Decode(data []byte) (Compound, error) {
	size, err := Measure(data, true)
	if err != nil {
		return nil, err
	}
	if size != len(data) {
		return nil, fmt.Errorf("%w: %d bytes after the end", ErrMalformed, len(data)-size)
	}
	if len(data) == 0 || data[0] != nbt.TagCompound {
		return nil, fmt.Errorf("%w: the root is not a compound", ErrMalformed)
	}
	root := Compound{}
	if err := nbt.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return root, nil
}

// Encode writes root as a compound tag with an empty name, its entries sorted by name.
func Encode(root Compound) ([]byte, error) {
	var out bytes.Buffer
	out.Write([]byte{nbt.TagCompound, 0, 0})
	if err := writePayload(&out, root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// EncodeNameless writes value as the network does since 1.20.2: the root has no name.
func EncodeNameless(value any) ([]byte, error) {
	kind, err := kindOf(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte(kind)
	if err := writePayload(&out, value); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
