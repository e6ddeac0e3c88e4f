package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// checkpointFinding evaluates what was observed at a checkpoint. The outcome "reached" alone proves nothing.
func (h *history) checkpointFinding(cp *statement.Checkpoint, revision statement.Revision) finding {
	switch {
	case cp == nil:
		return findingf(statement.ReasonUnfinished, "not observed")
	case cp.Outcome == statement.Refused:
		return h.refusalFinding(cp, revision)
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
	case h.podUsedElsewhere(cp.Pod.UID, cp):
		return findingf(statement.ReasonUnproven, "pod %s is another checkpoint's or the fleet's", cp.Pod.UID)
	}
	if f := h.joinsFinding(cp); !f.none() {
		return f
	}
	return h.worldFinding(cp)
}

// refusalFinding evaluates a checkpoint with the outcome "refused". If the observations contradict the refusal, the
// finding is "unproven".
func (h *history) refusalFinding(cp *statement.Checkpoint, revision statement.Revision) finding {
	switch {
	case !isKnownReason(cp.Reason):
		return findingf(statement.ReasonUnproven, "refused with an unknown reason %q", cp.Reason)
	case h.joinedElsewhere(cp):
		return findingf(statement.ReasonUnproven, "refused, with a player in a pod that is none of its own: %s", cp.Reason)
	case cp.Message == "":
		return findingf(statement.ReasonUnproven, "refused without a word: %s", cp.Reason)
	case cp.Pod == nil:
		if cp.Reason == statement.ReasonNotReady { // no pod appeared in time
			return findingf(cp.Reason, "%s", cp.Message)
		}
		return findingf(statement.ReasonUnproven, "refused without a pod: %s: %s", cp.Reason, cp.Message)
	case cp.Pod.UID == "" || h.podUsedElsewhere(cp.Pod.UID, cp):
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
		if slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Pod == cp.Pod.UID && h.foundMarker(join) }) {
			return findingf(statement.ReasonUnproven, "%s, and a player was in it", cp.Reason)
		}
	}
	if cp.Reason == statement.ReasonWorldLost && !h.worldIncomplete(cp) {
		return findingf(statement.ReasonUnproven, "%s, and all is there: %s", cp.Reason, cp.Message)
	}
	return findingf(cp.Reason, "%s", cp.Message)
}

// worldIncomplete says whether a part of the world is missing, for a player or on the volumes.
func (h *history) worldIncomplete(cp *statement.Checkpoint) bool {
	return !h.worldFinding(cp).none() || slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return !h.foundMarker(join) })
}

// foundMarker says whether a player got to the join depth of the run and found the marker.
func (h *history) foundMarker(join statement.Join) bool {
	return join.Class == statement.ClassOK && statement.AtLeast(join.Depth, h.JoinDepth()) && join.Marker == h.Run.Marker
}

func isKnownReason(reason statement.Reason) bool {
	switch reason {
	case statement.ReasonImagePull, statement.ReasonCrash, statement.ReasonNewerWorld, statement.ReasonNotReady, statement.ReasonJoinFailed, statement.ReasonWorldLost,
		statement.ReasonWrongImage, statement.ReasonUnproven, statement.ReasonUnfinished, statement.ReasonNoWayBack:
		return true
	}
	return false
}
