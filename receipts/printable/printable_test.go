package printable_test

import (
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

// hostile holds control characters, ends of lines and paragraphs, changes of direction, and what does not show at all.
const hostile = "\x1b[2J\x07\t\n\r\u0085\u009b\u00ad\u061c\u200b\u200e\u202e\u2028\u2029\u2060\u2066\ufeff\U000E0041\u2800\u3164\xff"

func TestLine(t *testing.T) {
	t.Parallel()
	for _, r := range hostile {
		want := "\uFFFD"
		if strings.ContainsRune("[2J", r) {
			want = string(r)
		}
		if got := printable.Line(string(r)); got != want {
			t.Errorf("%U became %q", r, got)
		}
	}
	for _, text := range []string{"", "1.20.2 → 1.21.1", "Überraschung, 世界, мир", "a\u0301 🙂 […] \uFFFD"} {
		if got := printable.Line(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	if got, want := printable.Lines("one\ttab\ntwo\x1b[2J\r\n"), "one    tab\ntwo\uFFFD[2J\uFFFD\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
