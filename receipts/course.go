package receipts

import "fmt"

// course is a receipt with its checkpoints at hand: the way that a rehearsal went. A checkpoint that was not
// observed is nil.
type course struct {
	*Receipt
	before, candidate, rollback, restored *Checkpoint
}

func courseOf(r *Receipt) course {
	return course{
		Receipt:   r,
		before:    r.Checkpoint(Before),
		candidate: r.Checkpoint(Candidate),
		rollback:  r.Checkpoint(Rollback),
		restored:  r.Checkpoint(Restored),
	}
}

// points are the checkpoints in their order; one that was not observed is nil.
func (c *course) points() [4]*Checkpoint {
	return [...]*Checkpoint{c.before, c.candidate, c.rollback, c.restored}
}

func (r *Receipt) Checkpoint(name string) *Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

// shortfall says why a checkpoint does not show that a revision runs with the world intact. The zero shortfall
// means that it does.
type shortfall struct {
	reason RefusalReason
	detail string
}

func (s shortfall) none() bool { return s.reason == "" }

// problem is the shortfall for a check: "" where there is none.
func (s shortfall) problem() string {
	if s.none() {
		return ""
	}
	return string(s.reason) + ": " + s.detail
}

// outcome is what came of it, in words.
func (s shortfall) outcome() string {
	if s.none() {
		return string(Reached)
	}
	return s.problem()
}

func short(reason RefusalReason, format string, args ...any) shortfall {
	return shortfall{reason, fmt.Sprintf(format, args...)}
}
