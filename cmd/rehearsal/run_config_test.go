package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
)

// TestFailureBesideAnAnswer: the answer no, which has no words, hides no error of the run, such as what it left behind.
func TestFailureBesideAnAnswer(t *testing.T) {
	t.Parallel()
	left := errors.New("something of run x is left")
	for name, tc := range map[string]struct {
		answer, err error
		code        int
		says        string
	}{
		"yes":                  {nil, nil, 0, ""},
		"no":                   {exit.Failed(nil), nil, exit.CodeFailed, ""},
		"yes, and left behind": {nil, left, exit.CodeFailed, "is left"},
		"no, and left behind":  {exit.Failed(nil), left, exit.CodeFailed, "is left"},
		"no decision":          {exit.Cannot(errors.New("policy")), nil, exit.CodeCannot, "policy"},
		"both":                 {exit.Cannot(errors.New("policy")), left, exit.CodeFailed, "policy\nsomething"},
	} {
		code, says := 0, ""
		if own, ok := errors.AsType[exit.Error](both(tc.answer, tc.err)); ok { // as execute does
			if code = own.Code; own.Err != nil {
				says = own.Err.Error()
			}
		}
		if code != tc.code || !strings.Contains(says, tc.says) || strings.Contains(says, "exit code") {
			t.Errorf("%s: exit code %d with %q, want %d with %q", name, code, says, tc.code, tc.says)
		}
	}
}
