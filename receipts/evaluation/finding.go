package evaluation

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// finding says why a checkpoint does not show that a revision runs with its world intact. The zero finding means that
// the checkpoint shows it.
type finding struct {
	reason statement.Reason
	detail string
}

func (f finding) none() bool { return f.reason == "" }

// problem returns the finding as checklist.require takes it: "" for the zero finding.
func (f finding) problem() string {
	if f.none() {
		return ""
	}
	return string(f.reason) + ": " + f.detail
}

// outcome returns the finding in words, and "reached" for the zero finding.
func (f finding) outcome() string {
	if f.none() {
		return string(statement.Reached)
	}
	return f.problem()
}

func findingf(reason statement.Reason, format string, args ...any) finding {
	return finding{reason, fmt.Sprintf(format, args...)}
}
