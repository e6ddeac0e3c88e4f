package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// joined wants every join of a checkpoint to have got to the depth of the run, with a control that failed.
func (c *history) joinsFinding(cp *statement.Checkpoint) finding {
	if n := len(cp.Joins); n == 0 || n > maxJoins {
		return findingf(statement.ReasonJoinFailed, "%d joins, want 1 to %d", n, maxJoins)
	}
	for _, join := range cp.Joins {
		switch {
		case !statement.AtLeast(join.Depth, c.JoinDepth()):
			return findingf(statement.ReasonJoinFailed, "depth %q, want %s", join.Depth, c.JoinDepth())
		case join.Class != statement.ClassOK:
			return findingf(statement.ReasonJoinFailed, "class %q", join.Class)
		case !join.Control:
			return findingf(statement.ReasonUnproven, "the probe was not seen to fail where nothing listens")
		case join.Pod == "" || c.podUsedElsewhere(join.Pod, cp):
			return findingf(statement.ReasonUnproven, "the player was in pod %q, which is none of this checkpoint's", join.Pod)
		case join.Marker != c.Run.Marker && (join.Marker != "" || statement.AtLeast(c.JoinDepth(), statement.Joined)):
			return findingf(statement.ReasonWorldLost, "the player found %q, want the marker %q", join.Marker, c.Run.Marker)
		}
	}
	if last := cp.Joins[len(cp.Joins)-1].Pod; last != cp.Pod.UID {
		return findingf(statement.ReasonUnproven, "the player was last in pod %q, not in %q", last, cp.Pod.UID)
	}
	return finding{}
}

// maxJoins keeps the comparison of pods short, whatever a receipt says.
const maxJoins = 64

// elsewhere says whether a pod is one of another checkpoint or of the fleet, and so shows nothing of this one.
func (c *history) podUsedElsewhere(pod string, cp *statement.Checkpoint) bool {
	for _, other := range c.checkpoints() {
		if other != nil && other != cp && usesPod(other, pod) {
			return true
		}
	}
	for _, member := range c.Fleet[:min(len(c.Fleet), maxFleet)] {
		if len(member.PodUIDs) > 0 && member.PodUIDs[0] == pod { // more than one is a failure of its own
			return true
		}
	}
	return false
}

// usesPod says whether a pod was seen at the checkpoint.
func usesPod(cp *statement.Checkpoint, pod string) bool {
	return cp.Pod != nil && cp.Pod.UID == pod ||
		slices.ContainsFunc(cp.Joins[:min(len(cp.Joins), maxJoins)], func(join statement.Join) bool { return join.Pod == pod })
}

// joinedElsewhere says whether a visit of a checkpoint shows nothing of it. A visit that reached no game is in no pod.
func (c *history) joinedElsewhere(cp *statement.Checkpoint) bool {
	return len(cp.Joins) > maxJoins ||
		slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Pod != "" && c.podUsedElsewhere(join.Pod, cp) })
}
