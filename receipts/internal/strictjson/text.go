package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// IsPlain says whether JSON writes s without escapes.
func IsPlain(s string) bool {
	for i := range len(s) {
		if !plainBytes[s[i]] || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// str reads a string value.
func (d *decoder) str() (string, error) {
	if d.peek() != '"' {
		return "", d.fail("want a string")
	}
	d.pos++
	start := d.pos
	d.pos += plainPrefix(d.data[start:])
	if d.peek() != '"' {
		return d.strSlow(start)
	}
	d.pos++
	if d.pos-1-start > d.maxString {
		return "", d.fail("string longer than %d bytes", d.maxString)
	}
	return d.data[start : d.pos-1], nil
}

// plainBytes marks the bytes that need no escape: printable ASCII without quote and backslash.
var plainBytes = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// plainPrefix returns the number of plain bytes at the beginning of a text. It checks eight bytes at a time, because most of
// a document consists of digests and UIDs.
func plainPrefix(text string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(text); n += 8 {
		t := text[n : n+8]
		word := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		quote, slash := word^'"'*ones, word^'\\'*ones // a byte is zero if it was a quote or a backslash
		if (word|(word-' '*ones)|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break // one of the eight is not ASCII, a control character, a quote or a backslash
		}
	}
	for n < len(text) && plainBytes[text[n]] {
		n++
	}
	return n
}

// strSlow reads the rest of a string that does not consist of plain bytes alone. start is where the string begins.
func (d *decoder) strSlow(start int) (string, error) {
	out := append(make([]byte, 0, d.pos-start+64), d.data[start:d.pos]...)
	for d.pos < len(d.data) {
		if len(out) > d.maxString {
			return "", d.fail("string longer than %d bytes", d.maxString)
		}
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return string(out), nil
		case c < ' ':
			return "", d.fail("control character in a string")
		case c == '\\':
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		case c < utf8.RuneSelf:
			out = append(out, c)
			d.pos++
		default:
			r, size := utf8.DecodeRuneInString(d.data[d.pos:])
			if r == utf8.RuneError && size == 1 {
				return "", d.fail("invalid UTF-8")
			}
			out = append(out, d.data[d.pos:d.pos+size]...)
			d.pos += size
		}
	}
	return "", d.fail("string without end")
}

func (d *decoder) escape() (rune, error) {
	d.pos++ // the backslash
	c := d.peek()
	d.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return d.unicode()
	}
	return 0, d.fail("unknown escape")
}

// unicode reads the four digits of a \u escape, and the second half of a surrogate pair.
func (d *decoder) unicode() (rune, error) {
	first, err := d.hex4()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	if len(d.data)-d.pos < 2 || d.data[d.pos] != '\\' || d.data[d.pos+1] != 'u' {
		return 0, d.fail("half a surrogate pair")
	}
	d.pos += 2
	second, err := d.hex4()
	if err != nil {
		return 0, err
	}
	r := utf16.DecodeRune(first, second)
	if r == utf8.RuneError {
		return 0, d.fail("half a surrogate pair")
	}
	return r, nil
}

func (d *decoder) hex4() (rune, error) {
	if len(d.data)-d.pos < 4 {
		return 0, d.fail("escape without end")
	}
	n, err := strconv.ParseUint(d.data[d.pos:d.pos+4], 16, 16)
	if err != nil {
		return 0, d.fail("want four hex digits")
	}
	d.pos += 4
	return rune(n), nil
}

// skip skips one value of any type.
func (d *decoder) skip() error {
	switch c := d.peek(); {
	case c == '{':
		return d.skipAll('}', true)
	case c == '[':
		return d.skipAll(']', false)
	case c == '"':
		_, err := d.str()
		return err
	}
	start := d.pos
	for d.pos < len(d.data) && isScalar(d.data[d.pos]) {
		d.pos++
	}
	if d.pos == start {
		return d.fail("want a value")
	}
	return nil
}

func (d *decoder) skipAll(end byte, named bool) error {
	if err := d.enter(); err != nil {
		return err
	}
	d.pos++
	first := true
	for d.space(); d.peek() != end; d.space() {
		if !first {
			if err := d.take(','); err != nil {
				return err
			}
			d.space()
		}
		first = false
		if named {
			if _, err := d.name(); err != nil {
				return err
			}
			d.space()
			if err := d.take(':'); err != nil {
				return err
			}
			d.space()
		}
		if err := d.skip(); err != nil {
			return err
		}
	}
	d.pos++
	d.depth--
	return nil
}

// isScalar says whether a byte can be part of a number or of the words true, false and null.
func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}
