package evaluation

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// joinsFinding requires that every join of a checkpoint got to the depth of the run, and that its control failed.
func (h *history) joinsFinding(cp *statement.Checkpoint) finding {
	if n := len(cp.Joins); n == 0 || n > maxJoins {
		return findingf(statement.ReasonJoinFailed, "%d joins, want 1 to %d", n, maxJoins)
	}
	for _, join := range cp.Joins {
		switch {
		case !statement.AtLeast(join.Depth, h.JoinDepth()):
			return findingf(statement.ReasonJoinFailed, "depth %q, want %s", join.Depth, h.JoinDepth())
		case join.Class != statement.ClassOK:
			return findingf(statement.ReasonJoinFailed, "class %q", join.Class)
		case !join.Control:
			return findingf(statement.ReasonUnproven, "the probe was not seen to fail where nothing listens")
		case join.Pod == "" || h.podUsedElsewhere(join.Pod, cp):
			return findingf(statement.ReasonUnproven, "the player was in pod %q, which is none of this checkpoint's", join.Pod)
		case join.Marker != h.Run.Marker && (join.Marker != "" || statement.AtLeast(h.JoinDepth(), statement.Joined)):
			return findingf(statement.ReasonWorldLost, "the player found %q, want the marker %q", join.Marker, h.Run.Marker)
		}
	}
	if last := cp.Joins[len(cp.Joins)-1].Pod; last != cp.Pod.UID {
		return findingf(statement.ReasonUnproven, "the player was last in pod %q, not in %q", last, cp.Pod.UID)
	}
	return finding{}
}

// maxJoins bounds the work of comparing pods for a hostile receipt.
const maxJoins = 64

// podUsedElsewhere says whether a pod belongs to another checkpoint or to the fleet. Such a pod shows nothing of this
// checkpoint.
func (h *history) podUsedElsewhere(pod string, cp *statement.Checkpoint) bool {
	for _, other := range h.checkpoints() {
		if other != nil && other != cp && usesPod(other, pod) {
			return true
		}
	}
	for _, member := range h.Fleet[:min(len(h.Fleet), maxFleet)] {
		if len(member.PodUIDs) > 0 && member.PodUIDs[0] == pod { // fleet-untouched refuses a member with several pods
			return true
		}
	}
	return false
}

// usesPod says whether a pod was observed at a checkpoint.
func usesPod(cp *statement.Checkpoint, pod string) bool {
	return cp.Pod != nil && cp.Pod.UID == pod ||
		slices.ContainsFunc(cp.Joins[:min(len(cp.Joins), maxJoins)], func(join statement.Join) bool { return join.Pod == pod })
}

// joinedElsewhere says whether a join of a checkpoint happened in the pod of another one. A join that found no game
// names no pod.
func (h *history) joinedElsewhere(cp *statement.Checkpoint) bool {
	return len(cp.Joins) > maxJoins ||
		slices.ContainsFunc(cp.Joins, func(join statement.Join) bool { return join.Pod != "" && h.podUsedElsewhere(join.Pod, cp) })
}
