package evaluation

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// course is a receipt with its checkpoints at hand: the way that a rehearsal went. A checkpoint that was not
// observed is nil.
type history struct {
	*statement.Receipt
	before, candidate, rollback, restored *statement.Checkpoint
}

func historyOf(r *statement.Receipt) history {
	return history{
		Receipt:   r,
		before:    r.Checkpoint(statement.Before),
		candidate: r.Checkpoint(statement.Candidate),
		rollback:  r.Checkpoint(statement.Rollback),
		restored:  r.Checkpoint(statement.Restored),
	}
}

// points are the checkpoints in their order; one that was not observed is nil.
func (c *history) checkpoints() [4]*statement.Checkpoint {
	return [...]*statement.Checkpoint{c.before, c.candidate, c.rollback, c.restored}
}

// shortfall says why a checkpoint does not show that a revision runs with the world intact. The zero shortfall
// means that it does.
type finding struct {
	reason statement.Reason
	detail string
}

func (s finding) none() bool { return s.reason == "" }

// problem is the shortfall for a check: "" where there is none.
func (s finding) problem() string {
	if s.none() {
		return ""
	}
	return string(s.reason) + ": " + s.detail
}

// outcome is what came of it, in words.
func (s finding) outcome() string {
	if s.none() {
		return string(statement.Reached)
	}
	return s.problem()
}

func findingf(reason statement.Reason, format string, args ...any) finding {
	return finding{reason, fmt.Sprintf(format, args...)}
}
