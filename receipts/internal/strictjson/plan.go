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

// readers caches the readers of types. Making one takes longer than reading a document.
var readers sync.Map // reflect.Type to reader

// readerOf returns the reader of a type.
func readerOf(t reflect.Type) reader {
	if r, ok := readers.Load(t); ok {
		return r.(reader)
	}
	r, _ := readers.LoadOrStore(t, newReader(t))
	return r.(reader)
}

// newReader makes the reader of a type. It panics for a type that no document contains.
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
		plan := sync.OnceValue(func() *plan { return planOf(t) }) // deferred, because a type may contain itself
		return func(d *decoder, v reflect.Value) error { return d.object(v, plan()) }
	case reflect.Slice:
		element, first := readerOf(t.Elem()), 2
		switch size := t.Elem().Size(); {
		case t.Elem().Kind() != reflect.Struct:
		case size <= 64: // receipts have many checks and spans
			first = 32
		case size <= 128: // most checkpoints have three claims
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
	panic(fmt.Sprintf("strictjson: no reader for the Go type %s", t))
}

// plan says how to read the JSON object of a struct, according to its tags.
type plan struct {
	fields   []field
	byName   map[string]int
	required uint64 // a bit for each required field
}

type field struct {
	name   string
	prefix string // the quoted name with the colon
	index  int
	read   reader
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

// unlessZero refuses an explicit zero value of an optional member. Absence means zero: an author who writes the year 1 as
// an end wants something that has ended, and would get something that never ends.
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

// first returns the name of the first field of a set.
func (p *plan) first(set uint64) string {
	return p.fields[bits.TrailingZeros64(set)].name
}
