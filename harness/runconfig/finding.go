package runconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxMistakes bounds a report: a file of another kind could have thousands of unknown keys.
const maxMistakes = 100

// Finding is what is wrong at one position of a file, or what its author may not have meant.
type Finding struct {
	File         string
	Line, Column int    // both begin at 1
	Key          string // such as candidates[0].image, or "" for the whole file
	Text         string // what is wrong, and what would be right
}

// String is one line: "update.yaml:7:5: candidates[0].imag: unknown key; did you mean image?".
func (f Finding) String() string { return f.position() + f.about() }

// Warning is String with the word "warning" after the position.
func (f Finding) Warning() string { return f.position() + "warning: " + f.about() }

func (f Finding) position() string { return fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Column) }

func (f Finding) about() string {
	if f.Key == "" {
		return f.Text
	}
	return f.Key + ": " + f.Text
}

// Mistakes is the error of a file that is not a configuration: all that is wrong with it, in the order of the file.
type Mistakes []Finding

// Error has a line for each mistake.
func (m Mistakes) Error() string {
	lines := make([]string, 0, len(m))
	for _, mistake := range m {
		lines = append(lines, mistake.String())
	}
	return strings.Join(lines, "\n")
}

// inOrder sorts mistakes by their position, and cuts off those above the limit.
func (m Mistakes) inOrder() Mistakes {
	slices.SortStableFunc(m, byPosition)
	if len(m) <= maxMistakes {
		return m
	}
	more := m[maxMistakes]
	more.Key, more.Text = "", fmt.Sprintf("%d more mistakes from here on", len(m)-maxMistakes)
	return append(m[:maxMistakes:maxMistakes], more)
}

func byPosition(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Key, b.Key))
}
