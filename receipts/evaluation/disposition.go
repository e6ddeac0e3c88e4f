package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// disposition derives from the checkpoints what may be done with the candidate.
func (h *history) disposition() statement.Disposition {
	if f := h.candidateFinding(); !f.none() {
		return statement.Blocked(f.reason)
	}
	back := h.rollbackFinding()
	if back.none() {
		return statement.CompatibleRollback
	}
	// A restore counts only if a rollback without one was tried first and did not work.
	refusals := []statement.Reason{statement.ReasonNewerWorld, statement.ReasonCrash, statement.ReasonJoinFailed, statement.ReasonNotReady}
	tried := back.reason == statement.ReasonWorldLost || h.rollback != nil && h.rollback.Outcome == statement.Refused && slices.Contains(refusals, back.reason)
	// The candidate lost what it did not save before it stopped. A restore does not bring that back.
	if !tried || traceLost(h.rollback) {
		return statement.Blocked(back.reason)
	}
	f := h.restoreFinding()
	if f.none() {
		return statement.RestoreRequired
	}
	if f.reason == statement.ReasonUnfinished || f.reason == statement.ReasonUnproven {
		return statement.Blocked(f.reason)
	}
	return statement.Blocked(statement.ReasonNoWayBack)
}

// candidateFinding requires that the candidate was reached in a new pod, and again after a restart.
func (h *history) candidateFinding() finding {
	if f := h.checkpointFinding(h.candidate, h.Candidate); !f.none() {
		return f
	}
	if f := h.newPodFinding(h.candidate, h.before); !f.none() {
		return f
	}
	joins := h.candidate.Joins
	first, last := joins[0].Pod, joins[len(joins)-1].Pod
	if first == "" || first == last {
		return findingf(statement.ReasonUnproven, "not joined again after a restart")
	}
	// A player joined the baseline, which saves its world when it stops.
	if was, is := h.before.Claim(statement.Primary), h.candidate.Claim(statement.Primary); h.JoinDepth() == statement.Held && (was == nil || is == nil || was.Tree == is.Tree) {
		return findingf(statement.ReasonUnproven, "players were in the world, and not a byte of the primary claim differs: the game saves elsewhere")
	}
	return finding{}
}

// newPodFinding requires that a checkpoint has another pod than the previous checkpoint. The old pod shows nothing of
// the new revision.
func (h *history) newPodFinding(cp, previous *statement.Checkpoint) finding {
	if previous == nil || previous.Pod == nil {
		return findingf(statement.ReasonUnproven, "no pod observed before it")
	}
	if cp.Pod == nil || cp.Pod.UID == "" || cp.Pod.UID == previous.Pod.UID {
		return findingf(statement.ReasonUnproven, "no other pod than that of checkpoint %s was observed", previous.Name)
	}
	return finding{}
}

// rollbackFinding evaluates the rollback with the data as the candidate left it.
func (h *history) rollbackFinding() finding {
	if f := h.checkpointFinding(h.rollback, h.Baseline); !f.none() {
		return f
	}
	if f := h.newPodFinding(h.rollback, h.candidate); !f.none() {
		return f
	}
	if n := len(h.restoresFor(statement.PurposeRollback)); n > 0 || h.restored != nil {
		return findingf(statement.ReasonUnproven, "%d restores were made for it, or one was looked at", n)
	}
	return h.modsFinding(h.rollback)
}

// restoreFinding evaluates the restore: the baseline runs, and everything is as it was before the candidate.
func (h *history) restoreFinding() finding {
	if f := h.checkpointFinding(h.restored, h.Baseline); !f.none() {
		return f
	}
	if f := h.newPodFinding(h.restored, h.candidate); !f.none() {
		return f
	}
	for _, f := range []finding{h.restoreRecordFinding(), h.saveRestoredFinding(), h.modsFinding(h.restored)} {
		if !f.none() {
			return f
		}
	}
	return finding{}
}

func (h *history) restoresFor(purpose string) []statement.Restore {
	var restores []statement.Restore
	for _, restore := range h.Restores {
		if restore.Purpose == purpose {
			restores = append(restores, restore)
		}
	}
	return restores
}

// traceLost says whether a player found the world without the trace of the previous join.
func traceLost(cp *statement.Checkpoint) bool {
	return slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Class == statement.ClassTraceLost })
}

// restoreRecordFinding requires one Restore for the rollback, from the snapshot that seeded the clone.
func (h *history) restoreRecordFinding() finding {
	restores := h.restoresFor(statement.PurposeRollback)
	switch {
	case len(restores) != 1:
		return findingf(statement.ReasonUnproven, "%d restores for the rollback, want 1", len(restores))
	case restores[0].UID == "" || restores[0].Snapshot == "":
		return findingf(statement.ReasonUnproven, "the restore has no UID or no snapshot")
	case h.Backup == nil || restores[0].Snapshot != h.Backup.Snapshot:
		return findingf(statement.ReasonUnproven, "restored from snapshot %q, which is not the backup's", restores[0].Snapshot)
	}
	return finding{}
}
