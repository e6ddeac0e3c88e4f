package evaluation

import (
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// history is a receipt with its checkpoints by name. A checkpoint that was not observed is nil.
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

// checkpoints returns the checkpoints in order. One that was not observed is nil.
func (h *history) checkpoints() [4]*statement.Checkpoint {
	return [...]*statement.Checkpoint{h.before, h.candidate, h.rollback, h.restored}
}
