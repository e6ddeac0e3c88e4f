package receiptstest

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// At returns the checkpoint of a name, or nil.
func At(r *statement.Receipt, name string) *statement.Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

// ClaimAt returns the claim of a role at a checkpoint, or nil.
func ClaimAt(r *statement.Receipt, checkpoint, role string) *statement.Claim {
	cp := At(r, checkpoint)
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

// Drop removes a checkpoint.
func Drop(r *statement.Receipt, name string) {
	r.Checkpoints = slices.DeleteFunc(r.Checkpoints, func(cp statement.Checkpoint) bool { return cp.Name == name })
}

// Refuse changes a checkpoint to a refused one.
func Refuse(r *statement.Receipt, checkpoint string, reason statement.Reason) {
	cp := At(r, checkpoint)
	cp.Outcome, cp.Reason, cp.Message = statement.Refused, reason, "the words of whoever refused it"
}
