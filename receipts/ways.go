package receipts

import "slices"

// candidateReached judges the candidate: reached, in a pod of its own, and again after a restart.
func (c *course) candidateReached() shortfall {
	if s := c.reached(c.candidate, c.Candidate); !s.none() {
		return s
	}
	if s := c.newPod(c.candidate, c.before); !s.none() {
		return s
	}
	joins := c.candidate.Joins
	first, last := joins[0].Pod, joins[len(joins)-1].Pod
	if first == "" || first == last {
		return short(ReasonUnproven, "not joined again after a restart")
	}
	// The baseline was joined, and then stopped, which saves.
	if was, is := c.before.Claim(Primary), c.candidate.Claim(Primary); c.JoinDepth() == Held && (was == nil || is == nil || was.Tree == is.Tree) {
		return short(ReasonUnproven, "players were in the world, and not a byte of the primary claim differs: the game saves elsewhere")
	}
	return shortfall{}
}

// newPod wants a checkpoint's pod to be another than the one of the checkpoint before it: the old pod shows nothing
// of the new revision.
func (c *course) newPod(cp, previous *Checkpoint) shortfall {
	if previous == nil || previous.Pod == nil {
		return short(ReasonUnproven, "no pod observed before it")
	}
	if cp.Pod == nil || cp.Pod.UID == "" || cp.Pod.UID == previous.Pod.UID {
		return short(ReasonUnproven, "no other pod than that of checkpoint %s was observed", previous.Name)
	}
	return shortfall{}
}

// rolledBack judges the rollback with the data as the candidate left it.
func (c *course) rolledBack() shortfall {
	if s := c.reached(c.rollback, c.Baseline); !s.none() {
		return s
	}
	if s := c.newPod(c.rollback, c.candidate); !s.none() {
		return s
	}
	if n := len(c.restoresFor(PurposeRollback)); n > 0 || c.restored != nil {
		return short(ReasonUnproven, "%d restores were made for it, or one was looked at", n)
	}
	return c.modsKept(c.rollback)
}

// broughtBack judges the restore: the baseline runs, and everything is as it was before the candidate.
func (c *course) broughtBack() shortfall {
	if s := c.reached(c.restored, c.Baseline); !s.none() {
		return s
	}
	if s := c.newPod(c.restored, c.candidate); !s.none() {
		return s
	}
	for _, s := range []shortfall{c.restoreRecorded(), c.saveBack(), c.modsKept(c.restored)} {
		if !s.none() {
			return s
		}
	}
	return shortfall{}
}

func (c *course) restoresFor(purpose string) []Restore {
	var restores []Restore
	for _, restore := range c.Restores {
		if restore.Purpose == purpose {
			restores = append(restores, restore)
		}
	}
	return restores
}

// traceLost says that the player found the world, and in it no trace of the visit before.
func traceLost(cp *Checkpoint) bool {
	return slices.ContainsFunc(cp.Joins, func(join Join) bool { return join.Class == ClassTraceLost })
}

// restoreRecorded wants one Restore for the rollback, from the very snapshot that the clone was seeded with.
func (c *course) restoreRecorded() shortfall {
	restores := c.restoresFor(PurposeRollback)
	switch {
	case len(restores) != 1:
		return short(ReasonUnproven, "%d restores for the rollback, want 1", len(restores))
	case restores[0].UID == "" || restores[0].Snapshot == "":
		return short(ReasonUnproven, "the restore has no UID or no snapshot")
	case c.Backup == nil || restores[0].Snapshot != c.Backup.Snapshot:
		return short(ReasonUnproven, "restored from snapshot %q, which is not the backup's", restores[0].Snapshot)
	}
	return shortfall{}
}
