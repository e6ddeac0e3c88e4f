package newerworld_test

import (
	"regexp"
	"testing"

	"github.com/GameplanePanel/rehearsal/harness/newerworld"
)

func TestSigns(t *testing.T) {
	t.Parallel()
	own := newerworld.Signs{ExitCodes: []int{42}, Patterns: []*regexp.Regexp{regexp.MustCompile(`^world too new$`)}}
	for name, tt := range map[string]struct {
		signs newerworld.Signs
		code  int
		words string
		want  bool
	}{
		"fixture's exit code":  {newerworld.Signs{}, 3, "", true},
		"vanilla":              {newerworld.Signs{}, 1, "java.lang.RuntimeException: This world was created by an incompatible version.", true},
		"Paper":                {newerworld.Signs{}, 1, "[ERROR]: Server attempted to load chunk saved with newer version of minecraft! 3955 > 3578", true},
		"Luanti":               {newerworld.Signs{}, 1, "ERROR[Main]: MapBlock format not supported", true},
		"crash":                {newerworld.Signs{}, 1, "java.lang.OutOfMemoryError", false},
		"own exit code":        {own, 42, "", true},
		"own words":            {own, 1, "world too new", true},
		"own words, elsewhere": {own, 1, "not world too new", false},
		"known words with own": {own, 1, "created by an incompatible version", false},
		"no exit, other words": {own, 0, "stopping", false},
	} {
		if got := tt.signs.In(tt.code, tt.words); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
