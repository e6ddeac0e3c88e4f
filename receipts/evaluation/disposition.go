package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// disposition is what the course says of the candidate.
func (c *history) disposition() statement.Disposition {
	if s := c.candidateFinding(); !s.none() {
		return statement.Blocked(s.reason)
	}
	back := c.rollbackFinding()
	if back.none() {
		return statement.CompatibleRollback
	}
	// A restore is the way back only where going back without one was tried and did not work.
	refusals := []statement.Reason{statement.ReasonNewerWorld, statement.ReasonCrash, statement.ReasonJoinFailed, statement.ReasonNotReady}
	tried := back.reason == statement.ReasonWorldLost || c.rollback != nil && c.rollback.Outcome == statement.Refused && slices.Contains(refusals, back.reason)
	// What the candidate did not save before it stopped is lost by the candidate: a restore brings none of it back.
	if !tried || traceLost(c.rollback) {
		return statement.Blocked(back.reason)
	}
	s := c.restoreFinding()
	if s.none() {
		return statement.RestoreRequired
	}
	if s.reason == statement.ReasonUnfinished || s.reason == statement.ReasonUnproven {
		return statement.Blocked(s.reason)
	}
	return statement.Blocked(statement.ReasonNoWayBack)
}

// candidateReached judges the candidate: reached, in a pod of its own, and again after a restart.
func (c *history) candidateFinding() finding {
	if s := c.checkpointFinding(c.candidate, c.Candidate); !s.none() {
		return s
	}
	if s := c.newPodFinding(c.candidate, c.before); !s.none() {
		return s
	}
	joins := c.candidate.Joins
	first, last := joins[0].Pod, joins[len(joins)-1].Pod
	if first == "" || first == last {
		return findingf(statement.ReasonUnproven, "not joined again after a restart")
	}
	// The baseline was joined, and then stopped, which saves.
	if was, is := c.before.Claim(statement.Primary), c.candidate.Claim(statement.Primary); c.JoinDepth() == statement.Held && (was == nil || is == nil || was.Tree == is.Tree) {
		return findingf(statement.ReasonUnproven, "players were in the world, and not a byte of the primary claim differs: the game saves elsewhere")
	}
	return finding{}
}

// newPod wants a checkpoint's pod to be another than the one of the checkpoint before it: the old pod shows nothing
// of the new revision.
func (c *history) newPodFinding(cp, previous *statement.Checkpoint) finding {
	if previous == nil || previous.Pod == nil {
		return findingf(statement.ReasonUnproven, "no pod observed before it")
	}
	if cp.Pod == nil || cp.Pod.UID == "" || cp.Pod.UID == previous.Pod.UID {
		return findingf(statement.ReasonUnproven, "no other pod than that of checkpoint %s was observed", previous.Name)
	}
	return finding{}
}

// rolledBack judges the rollback with the data as the candidate left it.
func (c *history) rollbackFinding() finding {
	if s := c.checkpointFinding(c.rollback, c.Baseline); !s.none() {
		return s
	}
	if s := c.newPodFinding(c.rollback, c.candidate); !s.none() {
		return s
	}
	if n := len(c.restoresFor(statement.PurposeRollback)); n > 0 || c.restored != nil {
		return findingf(statement.ReasonUnproven, "%d restores were made for it, or one was looked at", n)
	}
	return c.modsFinding(c.rollback)
}

// broughtBack judges the restore: the baseline runs, and everything is as it was before the candidate.
func (c *history) restoreFinding() finding {
	if s := c.checkpointFinding(c.restored, c.Baseline); !s.none() {
		return s
	}
	if s := c.newPodFinding(c.restored, c.candidate); !s.none() {
		return s
	}
	for _, s := range []finding{c.restoreRecordFinding(), c.saveRestoredFinding(), c.modsFinding(c.restored)} {
		if !s.none() {
			return s
		}
	}
	return finding{}
}

func (c *history) restoresFor(purpose string) []statement.Restore {
	var restores []statement.Restore
	for _, restore := range c.Restores {
		if restore.Purpose == purpose {
			restores = append(restores, restore)
		}
	}
	return restores
}

// traceLost says that the player found the world, and in it no trace of the visit before.
func traceLost(cp *statement.Checkpoint) bool {
	return slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Class == statement.ClassTraceLost })
}

// restoreRecorded wants one Restore for the rollback, from the very snapshot that the clone was seeded with.
func (c *history) restoreRecordFinding() finding {
	restores := c.restoresFor(statement.PurposeRollback)
	switch {
	case len(restores) != 1:
		return findingf(statement.ReasonUnproven, "%d restores for the rollback, want 1", len(restores))
	case restores[0].UID == "" || restores[0].Snapshot == "":
		return findingf(statement.ReasonUnproven, "the restore has no UID or no snapshot")
	case c.Backup == nil || restores[0].Snapshot != c.Backup.Snapshot:
		return findingf(statement.ReasonUnproven, "restored from snapshot %q, which is not the backup's", restores[0].Snapshot)
	}
	return finding{}
}
