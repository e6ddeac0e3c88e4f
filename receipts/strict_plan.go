package receipts

import (
	"math/bits"
	"reflect"
	"strings"
	"sync"
)

// plan is how a struct is written in JSON, by its tags.
type plan struct {
	fields   []field
	byName   map[string]int
	required uint64 // a bit for each field that must be there
}

type field struct {
	name   string
	index  int
	quoted bool // a 64-bit integer, written as a string
}

var plans sync.Map // reflect.Type to *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
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
		p.fields = append(p.fields, field{name: name, index: i, quoted: strings.Contains(options, "string")})
	}
	actual, _ := plans.LoadOrStore(t, p)
	return actual.(*plan)
}

// find returns the place of a member by its exact name; next is where it most likely is.
func (p *plan) find(name string, next int) (int, bool) {
	if next < len(p.fields) && p.fields[next].name == name {
		return next, true
	}
	i, ok := p.byName[name]
	return i, ok
}

// first names the first field of a set.
func (p *plan) first(set uint64) string {
	return p.fields[bits.TrailingZeros64(set)].name
}
