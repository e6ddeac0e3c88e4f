package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// aliases names random values in the order in which they come: "pod 2" is the second pod that was seen, in any run.
type aliases struct {
	names  map[string]string
	counts map[string]int
}

func newAliases() aliases {
	return aliases{names: map[string]string{}, counts: map[string]int{}}
}

func (a *aliases) name(value, alias string) {
	if value != "" {
		a.names[value] = alias
	}
}

// of returns the alias of a value of some kind, a new one where the value is new.
func (a *aliases) of(kind, value string) string {
	if value == "" {
		return ""
	}
	if alias, ok := a.names[value]; ok {
		return alias
	}
	a.counts[kind]++
	a.names[value] = fmt.Sprintf("%s %d", kind, a.counts[kind])
	return a.names[value]
}

// text replaces the known random values in a text. Longer ones come first: the name of a volume holds the UID of its
// claim.
func (a *aliases) text(s string) string {
	if s == "" {
		return ""
	}
	longer := func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) }
	for _, value := range slices.SortedFunc(maps.Keys(a.names), longer) {
		if len(value) >= 8 {
			s = strings.ReplaceAll(s, value, a.names[value])
		}
	}
	return s
}
