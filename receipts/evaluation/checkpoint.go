package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// reached judges a checkpoint by what was observed there; that it says "reached" is not enough.
func (c *history) checkpointFinding(cp *statement.Checkpoint, revision statement.Revision) finding {
	switch {
	case cp == nil:
		return findingf(statement.ReasonUnfinished, "not observed")
	case cp.Outcome == statement.Refused:
		return c.refusalFinding(cp, revision)
	case cp.Outcome != statement.Reached:
		return findingf(statement.ReasonUnproven, "outcome %q", cp.Outcome)
	case cp.Reason != "":
		return findingf(statement.ReasonUnproven, "reached, and refused for %q", cp.Reason)
	case cp.Pod == nil || cp.Pod.UID == "":
		return findingf(statement.ReasonUnproven, "no pod observed")
	case !revision.RunsAs(cp.Pod.ImageID):
		return findingf(statement.ReasonWrongImage, "pod runs %q", cp.Pod.ImageID)
	case cp.Pod.Restarts != 0:
		return findingf(statement.ReasonCrash, "the game restarted %d times", cp.Pod.Restarts)
	case c.podUsedElsewhere(cp.Pod.UID, cp):
		return findingf(statement.ReasonUnproven, "pod %s is another checkpoint's or the fleet's", cp.Pod.UID)
	}
	if s := c.joinsFinding(cp); !s.none() {
		return s
	}
	return c.worldFinding(cp)
}

// refused judges a checkpoint at which a revision is said to have been refused: where what was observed speaks against
// it, nothing is proven.
func (c *history) refusalFinding(cp *statement.Checkpoint, revision statement.Revision) finding {
	switch {
	case !knownReason(cp.Reason):
		return findingf(statement.ReasonUnproven, "refused with an unknown reason %q", cp.Reason)
	case c.joinedElsewhere(cp):
		return findingf(statement.ReasonUnproven, "refused, with a player in a pod that is none of its own: %s", cp.Reason)
	case cp.Message == "":
		return findingf(statement.ReasonUnproven, "refused without a word: %s", cp.Reason)
	case cp.Pod == nil:
		if cp.Reason == statement.ReasonNotReady { // no pod at all came in time
			return findingf(cp.Reason, "%s", cp.Message)
		}
		return findingf(statement.ReasonUnproven, "refused without a pod: %s: %s", cp.Reason, cp.Message)
	case cp.Pod.UID == "" || c.podUsedElsewhere(cp.Pod.UID, cp):
		return findingf(statement.ReasonUnproven, "refused in pod %q, which is none of its own: %s", cp.Pod.UID, cp.Reason)
	}
	switch cp.Reason {
	case statement.ReasonNewerWorld, statement.ReasonJoinFailed, statement.ReasonWorldLost:
		if !revision.RunsAs(cp.Pod.ImageID) {
			return findingf(statement.ReasonUnproven, "%s: pod runs %q", cp.Reason, cp.Pod.ImageID)
		}
	}
	switch cp.Reason {
	case statement.ReasonNewerWorld, statement.ReasonJoinFailed, statement.ReasonImagePull:
		if slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Pod == cp.Pod.UID && c.foundMarker(join) }) {
			return findingf(statement.ReasonUnproven, "%s, and a player was in it", cp.Reason)
		}
	}
	if cp.Reason == statement.ReasonWorldLost && !c.worldIncomplete(cp) {
		return findingf(statement.ReasonUnproven, "%s, and all is there: %s", cp.Reason, cp.Message)
	}
	return findingf(cp.Reason, "%s", cp.Message)
}

// lost says whether anything is missing of the world, to a player or on the volumes.
func (c *history) worldIncomplete(cp *statement.Checkpoint) bool {
	return !c.worldFinding(cp).none() || slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return !c.foundMarker(join) })
}

// found says whether a player got to the depth of the run and found the marker.
func (c *history) foundMarker(join statement.Join) bool {
	return join.Class == statement.ClassOK && statement.AtLeast(join.Depth, c.JoinDepth()) && join.Marker == c.Run.Marker
}

func knownReason(reason statement.Reason) bool {
	switch reason {
	case statement.ReasonImagePull, statement.ReasonCrash, statement.ReasonNewerWorld, statement.ReasonNotReady, statement.ReasonJoinFailed, statement.ReasonWorldLost,
		statement.ReasonWrongImage, statement.ReasonUnproven, statement.ReasonUnfinished, statement.ReasonNoWayBack:
		return true
	}
	return false
}
