// Package strictjson reads untrusted JSON strictly, and writes JSON in one form.
package strictjson

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of every document. They bound the memory that hostile input can claim.
const (
	maxDepth = 16      // nested objects and arrays
	maxItems = 65536   // elements of one array
	maxText  = 1 << 16 // bytes of one string, except the payload of an envelope
	maxName  = 256     // bytes of a member's name
)

// Decode reads one JSON document into the value that into points to. Unlike encoding/json it refuses duplicate, unknown,
// missing and case-folded members, null, trailing data, invalid UTF-8, fractions, and times outside UTC. A member may be
// absent only if its tag says omitempty or omitzero.
//
// Decode both checks and decodes. A separate check could read a document differently than the decoder after it.
//
// The strings of the value share the document's memory.
func Decode(document string, into any) error { return Options{}.Decode(document, into) }

// Options change how a document is read. The zero value is what the function Decode uses.
type Options struct {
	MaxString int        // maximum bytes of one string; 0 means 64 KiB
	Choose    func() any // returns a pointer to what a Raw value is decoded into, or nil for its text
}

// Decode reads one document with the options.
func (o Options) Decode(document string, into any) error {
	d := decoder{data: document, choose: o.Choose, maxString: cmp.Or(o.MaxString, maxText)}
	return d.document(into)
}

// document reads the whole text.
func (d *decoder) document(into any) error {
	d.space()
	v := reflect.ValueOf(into).Elem()
	if err := readerOf(v.Type())(d, v); err != nil {
		return err
	}
	d.space()
	if d.pos != len(d.data) {
		return d.fail("data after the document")
	}
	return nil
}

// Raw is the text of a value whose type is known only later.
type Raw string

// jsonError says what is wrong with the text, and where.
type jsonError struct {
	path   string
	offset int
	what   string
}

func (e *jsonError) Error() string {
	if e.path == "" {
		return fmt.Sprintf("byte %d: %s", e.offset, e.what)
	}
	return fmt.Sprintf("byte %d: %s: %s", e.offset, e.path, e.what)
}

// WithoutOffset returns the text of an error without the byte offset, which says nothing to people whose text was converted
// to JSON first.
func WithoutOffset(err error) string {
	e, ok := err.(*jsonError)
	if !ok {
		return err.Error()
	}
	if e.path == "" {
		return e.what
	}
	return e.path + ": " + e.what
}

// within adds one step to the path of an error on its way up.
func within(step string, err error) error {
	if e, ok := err.(*jsonError); ok {
		if e.path != "" && e.path[0] != '[' {
			step += "."
		}
		e.path = step + e.path
	}
	return err
}

type decoder struct {
	data      string
	choose    func() any // see Options.Choose
	pos       int
	depth     int
	maxString int
}

func (d *decoder) fail(format string, args ...any) error {
	return &jsonError{offset: d.pos, what: fmt.Sprintf(format, args...)}
}

// space skips white space. Documents of Encode have none.
func (d *decoder) space() {
	if d.pos < len(d.data) && d.data[d.pos] <= ' ' {
		d.skipSpace()
	}
}

func (d *decoder) skipSpace() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end of the text.
func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

func (d *decoder) take(c byte) error {
	if d.peek() != c {
		return d.fail("want %q", c)
	}
	d.pos++
	return nil
}

func (d *decoder) enter() error {
	if d.depth++; d.depth > maxDepth {
		return d.fail("nested deeper than %d", maxDepth)
	}
	return nil
}

func (d *decoder) object(v reflect.Value, plan *plan) error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.peek() != '{' {
		return d.fail("want an object")
	}
	d.pos++
	var seen uint64
	next := 0 // the member that comes next in documents of Encode
	for d.space(); d.peek() != '}'; d.space() {
		if seen != 0 {
			if err := d.take(','); err != nil {
				return err
			}
			d.space()
		}
		i, err := d.memberName(plan, next)
		if err != nil {
			return err
		}
		if seen&(1<<i) != 0 {
			return d.fail("member %q twice", plan.fields[i].name)
		}
		seen |= 1 << i
		next = i + 1
		if err := plan.fields[i].read(d, v.Field(plan.fields[i].index)); err != nil {
			return within(plan.fields[i].name, err)
		}
	}
	if missing := plan.required &^ seen; missing != 0 {
		return d.fail("no member %q", plan.first(missing))
	}
	d.pos++
	d.depth--
	return nil
}

// memberName reads the name of a member and the colon after it. For the next member in the order of Encode, which writes no
// spaces, this is one comparison.
func (d *decoder) memberName(plan *plan, next int) (int, error) {
	if next < len(plan.fields) && strings.HasPrefix(d.data[d.pos:], plan.fields[next].prefix) {
		d.pos += len(plan.fields[next].prefix)
		d.space()
		return next, nil
	}
	name, err := d.name()
	if err != nil {
		return 0, err
	}
	i, known := plan.byName[name]
	if !known {
		return 0, d.fail("unknown member %q", name)
	}
	d.space()
	if err := d.take(':'); err != nil {
		return 0, err
	}
	d.space()
	return i, nil
}

// array reads a list. It allocates memory for the first elements at once.
func (d *decoder) array(v reflect.Value, element reader, first int) error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.peek() != '[' {
		return d.fail("want a list")
	}
	d.pos++
	n := 0
	for d.space(); d.peek() != ']'; d.space() {
		if n == maxItems {
			return d.fail("more than %d elements", maxItems)
		}
		if n > 0 {
			if err := d.take(','); err != nil {
				return err
			}
			d.space()
		}
		if n == v.Cap() {
			v.Grow(max(n, first))
		}
		v.SetLen(n + 1)
		if err := element(d, v.Index(n)); err != nil {
			return within("["+strconv.Itoa(n)+"]", err)
		}
		n++
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	d.pos++
	d.depth--
	return nil
}

func (d *decoder) boolean(v reflect.Value) error {
	for _, word := range [...]string{"true", "false"} {
		if strings.HasPrefix(d.data[d.pos:], word) {
			d.pos += len(word)
			v.SetBool(word == "true")
			return nil
		}
	}
	return d.fail("want true or false")
}

// maxExact is the largest integer that every JSON reader represents exactly. Documents hold larger ones as strings.
const maxExact = 1<<53 - 1

func (d *decoder) integer(v reflect.Value) error {
	start := d.pos
	if d.peek() == '-' {
		d.pos++
	}
	for c := d.peek(); c >= '0' && c <= '9'; c = d.peek() {
		d.pos++
	}
	n, ok := CanonicalInteger(d.data[start:d.pos])
	if !ok || n > maxExact || n < -maxExact {
		d.pos = start
		return d.fail("want an integer")
	}
	if c := d.peek(); c == '.' || c == 'e' || c == 'E' {
		return d.fail("want an integer without fraction or exponent")
	}
	if v.OverflowInt(n) {
		return d.fail("integer out of range")
	}
	v.SetInt(n)
	return nil
}

func (d *decoder) quotedInteger(v reflect.Value) error {
	s, err := d.str()
	if err != nil {
		return err
	}
	n, ok := CanonicalInteger(s)
	if !ok {
		return d.fail("want an integer in a string")
	}
	v.SetInt(n)
	return nil
}

// CanonicalInteger reads a decimal number in its canonical form: without a plus sign and without leading zeros.
func CanonicalInteger(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && s != "0" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func (d *decoder) time(v reflect.Value) error {
	s, err := d.str()
	if err != nil {
		return err
	}
	var t time.Time
	// UnmarshalText accepts a comma as the decimal point.
	if err := t.UnmarshalText([]byte(s)); err != nil || s[len(s)-1] != 'Z' || strings.Contains(s, ",") {
		return d.fail("want an RFC 3339 time in UTC, ending in Z")
	}
	*v.Addr().Interface().(*time.Time) = t
	return nil
}

func (d *decoder) plainString(v reflect.Value) error {
	s, err := d.str()
	v.SetString(s)
	return err
}

func (d *decoder) text(v reflect.Value) error {
	s := "" // the type's own error says what it wants instead
	if d.peek() == '"' {
		var err error
		if s, err = d.str(); err != nil {
			return err
		}
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		return d.fail("%v", err)
	}
	return nil
}

// raw decodes a value into what choose returns for it, or stores its text until its type is known.
func (d *decoder) raw(v reflect.Value) error {
	if d.choose != nil {
		if into := d.choose(); into != nil {
			chosen := reflect.ValueOf(into).Elem()
			return readerOf(chosen.Type())(d, chosen)
		}
	}
	start := d.pos
	if err := d.skip(); err != nil {
		return err
	}
	v.SetString(d.data[start:d.pos])
	return nil
}

// name reads a member's name. It refuses escapes, which could only hide the name.
func (d *decoder) name() (string, error) {
	if err := d.take('"'); err != nil {
		return "", err
	}
	start := d.pos
	for ; d.pos < len(d.data); d.pos++ {
		if d.pos-start > maxName {
			return "", d.fail("name longer than %d bytes", maxName)
		}
		c := d.data[d.pos]
		if c == '"' {
			d.pos++
			return d.data[start : d.pos-1], nil
		}
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			return "", d.fail("member names are plain ASCII")
		}
	}
	return "", d.fail("name without end")
}
