// Package printable makes text that strangers wrote safe to show on a terminal.
package printable

import (
	"strings"
	"unicode"
)

// blank holds letters and a symbol, by their Unicode class, that show nothing.
const blank = "\u115f\u1160\u2800\u3164\uffa0"

// Line replaces each character of a line that does not show as itself: control characters, ends of lines, changes of
// direction and invisible letters.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && !strings.ContainsRune(blank, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Lines is Line for text of several lines. It writes a tab as four spaces.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Line(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
