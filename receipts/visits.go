package receipts

import "slices"

// joined wants every join of a checkpoint to have got to the depth of the run, with a control that failed.
func (c *course) joined(cp *Checkpoint) shortfall {
	if n := len(cp.Joins); n == 0 || n > maxJoins {
		return short(ReasonJoinFailed, "%d joins, want 1 to %d", n, maxJoins)
	}
	for _, join := range cp.Joins {
		switch {
		case !AtLeast(join.Depth, c.JoinDepth()):
			return short(ReasonJoinFailed, "depth %q, want %s", join.Depth, c.JoinDepth())
		case join.Class != ClassOK:
			return short(ReasonJoinFailed, "class %q", join.Class)
		case !join.Control:
			return short(ReasonUnproven, "the probe was not seen to fail where nothing listens")
		case join.Pod == "" || c.elsewhere(join.Pod, cp):
			return short(ReasonUnproven, "the player was in pod %q, which is none of this checkpoint's", join.Pod)
		case join.Marker != c.Run.Marker && (join.Marker != "" || AtLeast(c.JoinDepth(), Joined)):
			return short(ReasonWorldLost, "the player found %q, want the marker %q", join.Marker, c.Run.Marker)
		}
	}
	if last := cp.Joins[len(cp.Joins)-1].Pod; last != cp.Pod.UID {
		return short(ReasonUnproven, "the player was last in pod %q, not in %q", last, cp.Pod.UID)
	}
	return shortfall{}
}

// maxJoins keeps the comparison of pods short, whatever a receipt says.
const maxJoins = 64

// elsewhere says whether a pod is one of another checkpoint or of the fleet, and so shows nothing of this one.
func (c *course) elsewhere(pod string, cp *Checkpoint) bool {
	for _, other := range c.points() {
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
func usesPod(cp *Checkpoint, pod string) bool {
	return cp.Pod != nil && cp.Pod.UID == pod ||
		slices.ContainsFunc(cp.Joins[:min(len(cp.Joins), maxJoins)], func(join Join) bool { return join.Pod == pod })
}

// joinedElsewhere says whether a visit of a checkpoint shows nothing of it. A visit that reached no game is in no pod.
func (c *course) joinedElsewhere(cp *Checkpoint) bool {
	return len(cp.Joins) > maxJoins ||
		slices.ContainsFunc(cp.Joins, func(join Join) bool { return join.Pod != "" && c.elsewhere(join.Pod, cp) })
}

// JoinDepth is the join depth that counts as reached in this run.
func (r *Receipt) JoinDepth() string {
	if r.Run.Depth == "" {
		return Held
	}
	return r.Run.Depth
}

// Classes of a join that are decided on. The others are for people.
const (
	ClassOK        = "ok"         // got to the wanted depth
	ClassTraceLost = "trace-lost" // in play, and what the visit before had left is gone
)

// AtLeast says whether a join depth is no less than another. An unknown depth is less than any, and no depth is
// at least an unknown one.
func AtLeast(depth, want string) bool {
	depths := []string{Query, Partial, Joined, Held}
	wanted := slices.Index(depths, want)
	return wanted >= 0 && slices.Index(depths, depth) >= wanted
}
