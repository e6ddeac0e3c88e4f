package receipts

import (
	"slices"
	"strings"
)

// reached judges a checkpoint by what was observed there; that it says "reached" is not enough.
func (c *course) reached(cp *Checkpoint, revision Revision) shortfall {
	switch {
	case cp == nil:
		return short(ReasonUnfinished, "not observed")
	case cp.Outcome == Refused:
		return c.refused(cp, revision)
	case cp.Outcome != Reached:
		return short(ReasonUnproven, "outcome %q", cp.Outcome)
	case cp.Reason != "":
		return short(ReasonUnproven, "reached, and refused for %q", cp.Reason)
	case cp.Pod == nil || cp.Pod.UID == "":
		return short(ReasonUnproven, "no pod observed")
	case !revision.RunsAs(cp.Pod.ImageID):
		return short(ReasonWrongImage, "pod runs %q", cp.Pod.ImageID)
	case cp.Pod.Restarts != 0:
		return short(ReasonCrash, "the game restarted %d times", cp.Pod.Restarts)
	case c.elsewhere(cp.Pod.UID, cp):
		return short(ReasonUnproven, "pod %s is another checkpoint's or the fleet's", cp.Pod.UID)
	}
	if s := c.joined(cp); !s.none() {
		return s
	}
	return c.worldKept(cp)
}

// refused judges a checkpoint at which a revision is said to have been refused: where what was observed speaks against
// it, nothing is proven.
func (c *course) refused(cp *Checkpoint, revision Revision) shortfall {
	switch {
	case !knownReason(cp.Reason):
		return short(ReasonUnproven, "refused with an unknown reason %q", cp.Reason)
	case c.joinedElsewhere(cp):
		return short(ReasonUnproven, "refused, with a player in a pod that is none of its own: %s", cp.Reason)
	case cp.Message == "":
		return short(ReasonUnproven, "refused without a word: %s", cp.Reason)
	case cp.Pod == nil:
		if cp.Reason == ReasonNotReady { // no pod at all came in time
			return short(cp.Reason, "%s", cp.Message)
		}
		return short(ReasonUnproven, "refused without a pod: %s: %s", cp.Reason, cp.Message)
	case cp.Pod.UID == "" || c.elsewhere(cp.Pod.UID, cp):
		return short(ReasonUnproven, "refused in pod %q, which is none of its own: %s", cp.Pod.UID, cp.Reason)
	}
	switch cp.Reason {
	case ReasonNewerWorld, ReasonJoinFailed, ReasonWorldLost:
		if !revision.RunsAs(cp.Pod.ImageID) {
			return short(ReasonUnproven, "%s: pod runs %q", cp.Reason, cp.Pod.ImageID)
		}
	}
	switch cp.Reason {
	case ReasonNewerWorld, ReasonJoinFailed, ReasonImagePull:
		if slices.ContainsFunc(cp.Joins, func(join Join) bool { return join.Pod == cp.Pod.UID && c.found(join) }) {
			return short(ReasonUnproven, "%s, and a player was in it", cp.Reason)
		}
	}
	if cp.Reason == ReasonWorldLost && !c.lost(cp) {
		return short(ReasonUnproven, "%s, and all is there: %s", cp.Reason, cp.Message)
	}
	return short(cp.Reason, "%s", cp.Message)
}

// lost says whether anything is missing of the world, to a player or on the volumes.
func (c *course) lost(cp *Checkpoint) bool {
	return !c.worldKept(cp).none() || slices.ContainsFunc(cp.Joins, func(join Join) bool { return !c.found(join) })
}

// found says whether a player got to the depth of the run and found the marker.
func (c *course) found(join Join) bool {
	return join.Class == ClassOK && AtLeast(join.Depth, c.JoinDepth()) && join.Marker == c.Run.Marker
}

func knownReason(reason RefusalReason) bool {
	switch reason {
	case ReasonImagePull, ReasonCrash, ReasonNewerWorld, ReasonNotReady, ReasonJoinFailed, ReasonWorldLost,
		ReasonWrongImage, ReasonUnproven, ReasonUnfinished, ReasonNoWayBack:
		return true
	}
	return false
}

// RunsAs says whether an imageID that the kubelet reported is this revision's.
func (r Revision) RunsAs(imageID string) bool {
	_, digest, found := strings.Cut(imageID, "@")
	return found && IsDigest(digest) && (digest == r.Digest || digest == r.PlatformDigest)
}
