package tag_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/Tnze/go-mc/nbt"
	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

// everything returns a compound with a value of every kind.
func everything() tag.Compound {
	return tag.Compound{
		"byte": int8(-1), "short": int16(-2), "int": int32(-3), "long": int64(-4), "float": float32(0.5), "double": 0.25,
		"string": "wool", "bytes": []byte{1, 2}, "ints": []int32{3, 4}, "longs": []int64{5, 6},
		"list of ints": []any{int32(1), int32(2)}, "list of bytes": []any{int8(1)}, "empty list": []any{},
		"list of compounds": []any{tag.Compound{"a": "b"}, tag.Compound{}},
		"list of lists":     []any{[]any{"x"}, []any{}}, "compound": tag.Compound{"inner": tag.Compound{}},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	data, err := tag.Encode(everything())
	if err != nil {
		t.Fatal(err)
	}
	got, err := tag.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everything(), got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

func TestEncodeIsDeterministic(t *testing.T) {
	t.Parallel()
	first, err := tag.Encode(everything())
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := tag.Encode(everything()); err != nil || !bytes.Equal(again, first) {
			t.Fatalf("the encoding differs, %v", err)
		}
	}
}

// TestEncodedAsPublished compares with the bytes of the format's published example, "hello world".
func TestEncodedAsPublished(t *testing.T) {
	t.Parallel()
	want := "\x0a\x00\x00\x08\x00\x04name\x00\x09Bananrama\x00"
	if got, err := tag.Encode(tag.Compound{"name": "Bananrama"}); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"no kind": uint64(1), "mixed list": []any{int8(1), "x"}, "long string": strings.Repeat("x", 1<<15),
		"nested": tag.Compound{"a": []any{struct{}{}}},
	} {
		if data, err := tag.Encode(tag.Compound{name: value}); err == nil {
			t.Errorf("%s: encoded to %x", name, data)
		}
	}
}

func nested(depth int) []byte {
	return append([]byte{nbt.TagCompound, 0, 0}, bytes.Repeat([]byte{nbt.TagCompound, 0, 0}, depth)...)
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	array := func(kind byte, length string) []byte {
		return []byte("\x0a\x00\x00" + string(kind) + "\x00\x01x" + length + "\x00")
	}
	tests := map[string][]byte{
		"nothing":                  nil,
		"no compound":              {nbt.TagByte, 0, 0, 1},
		"cut off":                  {nbt.TagCompound, 0, 0},
		"bytes after the end":      {nbt.TagCompound, 0, 0, 0, 0},
		"unknown kind":             {nbt.TagCompound, 0, 0, 99, 0, 0},
		"byte array of 2 GB":       array(nbt.TagByteArray, "\x7f\xff\xff\xff"),
		"int array of 2 GB":        array(nbt.TagIntArray, "\x7f\xff\xff\xff"),
		"long array of 16 GB":      array(nbt.TagLongArray, "\x7f\xff\xff\xff"),
		"negative array":           array(nbt.TagByteArray, "\xff\xff\xff\xff"),
		"list of 2 billion":        array(nbt.TagList, "\x0a\x7f\xff\xff\xff"),
		"list of ends":             array(nbt.TagList, "\x00\x7f\xff\xff\xff"),
		"endless string":           array(nbt.TagString, "\xff\xff"),
		"deeper than the stack":    nested(1 << 20),
		"as many tags as it holds": append([]byte("\x0a\x00\x00\x09\x00\x01x\x01\x00\x10\x00\x00"), make([]byte, 1<<20+1)...),
		"gzip":                     {0x1f, 0x8b, 8, 0},
	}
	for name, data := range tests {
		if root, err := tag.Decode(data); !errors.Is(err, tag.ErrMalformed) {
			t.Errorf("%s: %v, %v, want %v", name, root, err, tag.ErrMalformed)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		component any
		json      string
		want      string
	}{
		{"plain", "hello", `"hello"`, "hello"},
		{"text", tag.Compound{"text": "hello"}, `{"text":"hello"}`, "hello"},
		{"extra", tag.Compound{"text": "a", "extra": []any{"b", "c"}}, `{"text":"a","extra":["b",{"text":"c"}]}`, "a b c"},
		{"translation", tag.Compound{"translate": "disconnect.spam", "with": []any{"x"}}, `{"translate":"disconnect.spam","with":["x"]}`, "disconnect.spam x"},
		{"nothing", tag.Compound{}, `{}`, ""},
		{"number", int32(7), `7`, ""},
	}
	for _, test := range tests {
		data, err := tag.EncodeNameless(test.component)
		if err != nil {
			t.Fatal(err)
		}
		if got := tag.Text(data); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if got := tag.TextJSON(test.json); got != test.want {
			t.Errorf("%s: JSON gives %q, want %q", test.name, got, test.want)
		}
	}
	for _, bad := range []string{"", "{", "\x0a"} {
		if got := tag.Text([]byte(bad)) + tag.TextJSON(bad); got != "" {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

// FuzzDecode: Decode accepts what Measure accepts, and the value survives a round trip.
func FuzzDecode(f *testing.F) {
	seed, err := tag.Encode(everything())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(nested(100))
	f.Add([]byte("\x0a\x00\x00\x09\x00\x01x\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := tag.Decode(data)
		if err != nil {
			if !errors.Is(err, tag.ErrMalformed) {
				t.Fatalf("error %v is not %v", err, tag.ErrMalformed)
			}
			return
		}
		again, err := tag.Encode(root)
		if err != nil {
			t.Fatalf("the decoded value does not encode: %v", err)
		}
		back, err := tag.Decode(again)
		if err != nil {
			t.Fatalf("the encoded value does not decode: %v", err)
		}
		twice, err := tag.Encode(back)
		if err != nil || !bytes.Equal(again, twice) {
			t.Fatalf("encoded twice to %x and %x, %v", again, twice, err)
		}
	})
}

// FuzzText: hostile text never gives more than a limited plain text.
func FuzzText(f *testing.F) {
	f.Add([]byte(`{"text":"hello","extra":["x"]}`))
	f.Add([]byte("\x08\x00\x05hello"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := tag.Text(data); len(got) > 4*len(data) {
			t.Errorf("%d bytes of text from %d", len(got), len(data))
		}
		tag.TextJSON(string(data))
	})
}
