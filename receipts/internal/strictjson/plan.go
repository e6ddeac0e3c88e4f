package strictjson

import (
	"encoding"
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"sync"
	"time"
)

// reader reads a value of one Go type.
type reader func(d *decoder, v reflect.Value) error

// readers keeps the readers of types, which take longer to make than a document to read.
var readers sync.Map // reflect.Type to reader

// readerOf returns the reader of a type.
func readerOf(t reflect.Type) reader {
	if r, ok := readers.Load(t); ok {
		return r.(reader)
	}
	r, _ := readers.LoadOrStore(t, newReader(t))
	return r.(reader)
}

// newReader makes the reader of a type. A type that no document has is a fault of this package.
func newReader(t reflect.Type) reader {
	switch {
	case t == reflect.TypeFor[Raw]():
		return (*decoder).raw
	case t == reflect.TypeFor[time.Time]():
		return (*decoder).time
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return (*decoder).text
	}
	switch t.Kind() {
	case reflect.Struct:
		plan := sync.OnceValue(func() *plan { return planOf(t) }) // later: a type may hold itself
		return func(d *decoder, v reflect.Value) error { return d.object(v, plan()) }
	case reflect.Slice:
		element, first := readerOf(t.Elem()), 2
		switch size := t.Elem().Size(); {
		case t.Elem().Kind() != reflect.Struct:
		case size <= 64: // checks and spans come in numbers
			first = 32
		case size <= 128: // claims by the three
			first = 4
		}
		return func(d *decoder, v reflect.Value) error { return d.array(v, element, first) }
	case reflect.Pointer:
		target := readerOf(t.Elem())
		return func(d *decoder, v reflect.Value) error {
			v.Set(reflect.New(t.Elem()))
			return target(d, v.Elem())
		}
	case reflect.String:
		return (*decoder).plainString
	case reflect.Bool:
		return (*decoder).boolean
	case reflect.Int, reflect.Int64:
		return (*decoder).integer
	}
	panic(fmt.Sprintf("receipts: no strict reading for a Go %s", t))
}

// plan is how a struct is written in JSON, by its tags.
type plan struct {
	fields   []field
	byName   map[string]int
	required uint64 // a bit for each field that must be there
}

type field struct {
	name    string
	opening string // the name as it is written, with the colon
	index   int
	read    reader
}

func planOf(t reflect.Type) *plan {
	p := &plan{byName: make(map[string]int)}
	for i := range t.NumField() {
		tag := t.Field(i).Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" {
			continue
		}
		p.byName[name] = len(p.fields)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			p.required |= 1 << len(p.fields)
		}
		read := readerOf(t.Field(i).Type)
		if strings.Contains(options, "string") { // 64 bits
			read = (*decoder).quotedInteger
		}
		if strings.Contains(options, "omitzero") {
			read = unlessZero(read)
		}
		p.fields = append(p.fields, field{name, `"` + name + `":`, i, read})
	}
	return p
}

// unlessZero refuses a zero value that is written out. Where a member may be left out, leaving it out is what its zero
// value means: whoever writes the year 1 as the end of something wants it to have ended, and would get no end at all.
func unlessZero(read reader) reader {
	return func(d *decoder, v reflect.Value) error {
		if err := read(d, v); err != nil {
			return err
		}
		if v.IsZero() {
			return d.fail("zero stands for none: leave the member out, or give a value")
		}
		return nil
	}
}

// first names the first field of a set.
func (p *plan) first(set uint64) string {
	return p.fields[bits.TrailingZeros64(set)].name
}
