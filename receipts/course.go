package receipts

import (
	"fmt"
	"slices"
	"strings"
)

// course is a receipt with its checkpoints at hand: the way that a rehearsal went. A checkpoint that was not
// observed is nil.
type course struct {
	*Receipt
	before, candidate, rollback, restored *Checkpoint
}

func courseOf(r *Receipt) course {
	return course{
		Receipt:   r,
		before:    r.checkpoint(Before),
		candidate: r.checkpoint(Candidate),
		rollback:  r.checkpoint(Rollback),
		restored:  r.checkpoint(Restored),
	}
}

func (r *Receipt) checkpoint(name string) *Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

// shortfall says why a checkpoint does not show that a revision runs with the world intact. The zero shortfall
// means that it does.
type shortfall struct {
	reason string
	detail string
}

func (s shortfall) none() bool { return s.reason == "" }

// problem is the shortfall for a check: "" where there is none.
func (s shortfall) problem() string {
	if s.none() {
		return ""
	}
	return s.reason + ": " + s.detail
}

// outcome is what came of it, in words.
func (s shortfall) outcome() string {
	if s.none() {
		return Reached
	}
	return s.problem()
}

func short(reason, format string, args ...any) shortfall {
	return shortfall{reason, fmt.Sprintf(format, args...)}
}

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
	case !revision.runsAs(cp.Pod.ImageID):
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
		if !revision.runsAs(cp.Pod.ImageID) {
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
	return join.Class == ClassOK && AtLeast(join.Depth, c.depth()) && join.Marker == c.Run.Marker
}

func knownReason(reason string) bool {
	switch reason {
	case ReasonImagePull, ReasonCrash, ReasonNewerWorld, ReasonNotReady, ReasonJoinFailed, ReasonWorldLost,
		ReasonWrongImage, ReasonUnproven, ReasonUnfinished, ReasonNoWayBack:
		return true
	}
	return false
}

// runsAs says whether an imageID that the kubelet reported is this revision's.
func (r Revision) runsAs(imageID string) bool {
	_, digest, found := strings.Cut(imageID, "@")
	return found && IsDigest(digest) && (digest == r.Digest || digest == r.PlatformDigest)
}

// joined wants every join of a checkpoint to have got to the depth of the run, with a control that failed.
func (c *course) joined(cp *Checkpoint) shortfall {
	if n := len(cp.Joins); n == 0 || n > maxJoins {
		return short(ReasonJoinFailed, "%d joins, want 1 to %d", n, maxJoins)
	}
	for _, join := range cp.Joins {
		switch {
		case !AtLeast(join.Depth, c.depth()):
			return short(ReasonJoinFailed, "depth %q, want %s", join.Depth, c.depth())
		case join.Class != ClassOK:
			return short(ReasonJoinFailed, "class %q", join.Class)
		case !join.Control:
			return short(ReasonUnproven, "the probe was not seen to fail where nothing listens")
		case join.Pod == "" || c.elsewhere(join.Pod, cp):
			return short(ReasonUnproven, "the player was in pod %q, which is none of this checkpoint's", join.Pod)
		case join.Marker != c.Run.Marker && (join.Marker != "" || AtLeast(c.depth(), Joined)):
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
	for _, other := range []*Checkpoint{c.before, c.candidate, c.rollback, c.restored} {
		if other != nil && other != cp && other.used(pod) {
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

// used says whether a pod was seen at the checkpoint.
func (cp *Checkpoint) used(pod string) bool {
	return cp.Pod != nil && cp.Pod.UID == pod ||
		slices.ContainsFunc(cp.Joins[:min(len(cp.Joins), maxJoins)], func(join Join) bool { return join.Pod == pod })
}

// joinedElsewhere says whether a visit of a checkpoint shows nothing of it. A visit that reached no game is in no pod.
func (c *course) joinedElsewhere(cp *Checkpoint) bool {
	return len(cp.Joins) > maxJoins ||
		slices.ContainsFunc(cp.Joins, func(join Join) bool { return join.Pod != "" && c.elsewhere(join.Pod, cp) })
}

// depth is the join depth that counts as reached in this run.
func (r *Receipt) depth() string {
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

// worldKept wants the marker in every claim that holds the world (the primary one, and any number of extra ones), and
// the world to be the one of before.
func (c *course) worldKept(cp *Checkpoint) shortfall {
	was := cp
	if c.before != nil {
		was = c.before
	}
	if n := len(was.Claims); was.claim(Primary) == nil || n > maxClaims {
		return short(ReasonUnproven, "no primary claim among %d", n)
	}
	for i := range was.Claims {
		want := &was.Claims[i]
		if want.Role != Primary && want.Role != Extra {
			continue
		}
		claim := cp.same(want)
		if claim == nil || !claim.Read {
			return short(ReasonUnproven, "claim %s was not read", want.Role)
		}
		if claim.Marker != c.Run.Marker {
			return short(ReasonWorldLost, "claim %s holds %q, want the marker %q", want.Role, claim.Marker, c.Run.Marker)
		}
	}
	if cp.World == nil || cp.World.Nonce == "" {
		return short(ReasonUnproven, "the save was not read, or is no world with a nonce")
	}
	if was.World == nil {
		return shortfall{} // a shortfall of the checkpoint before
	}
	if cp.World.Nonce != was.World.Nonce {
		return short(ReasonWorldLost, "world %q, want %q: a new world was made", cp.World.Nonce, was.World.Nonce)
	}
	if s := c.landKept(cp, was.World); !s.none() {
		return s
	}
	if cp.World.DataVersion != was.World.DataVersion && cp.claim(Primary).Tree == was.claim(Primary).Tree {
		return short(ReasonUnproven, "DataVersion %d, was %d, and not a byte of the world differs", cp.World.DataVersion, was.World.DataVersion)
	}
	return shortfall{}
}

// landKept wants land and players to have become no fewer. A restore takes back what visits since the backup had
// generated, and the next visit generates anew, as far as it gets: after one, half of the land is enough.
func (c *course) landKept(cp *Checkpoint, was *World) shortfall {
	least := was.Chunks
	if cp.Name == Restored {
		least = (least + 1) / 2
	}
	switch {
	case cp.World.Chunks < 1 || cp.World.Players < 0 || cp.World.DataVersion < 0:
		return short(ReasonUnproven, "%d chunks, %d players, DataVersion %d", cp.World.Chunks, cp.World.Players, cp.World.DataVersion)
	case cp.World.Chunks < least:
		return short(ReasonWorldLost, "%d chunks, %d before", cp.World.Chunks, was.Chunks)
	case cp.World.Players < was.Players:
		return short(ReasonWorldLost, "%d players, %d before", cp.World.Players, was.Players)
	}
	return shortfall{}
}

// same finds a claim again at a later checkpoint.
func (cp *Checkpoint) same(was *Claim) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == was.Role && cp.Claims[i].Name == was.Name {
			return &cp.Claims[i]
		}
	}
	return nil
}

func (cp *Checkpoint) claim(role string) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

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
	if was, is := c.before.claim(Primary), c.candidate.claim(Primary); c.depth() == Held && (was == nil || is == nil || was.Tree == is.Tree) {
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
func (cp *Checkpoint) traceLost() bool {
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

// saveBack wants the save to be of the version of before, without the candidate's format marker.
func (c *course) saveBack() shortfall {
	if c.before == nil || c.before.World == nil || c.restored == nil || c.restored.World == nil {
		return short(ReasonUnproven, "the save was not read")
	}
	was, is := c.before.World, c.restored.World
	if is.FormatMarker != was.FormatMarker {
		return short(ReasonNoWayBack, "format marker %q, want %q", is.FormatMarker, was.FormatMarker)
	}
	if is.DataVersion != was.DataVersion {
		return short(ReasonNoWayBack, "DataVersion %d, want %d", is.DataVersion, was.DataVersion)
	}
	return shortfall{}
}

// modsKept wants the mods to be the clone's own: a restore must not touch them. A user's plugins write beside them, the
// games of the suite do not.
func (c *course) modsKept(cp *Checkpoint) shortfall {
	if c.before == nil || c.before.claim(Mods) == nil {
		return shortfall{}
	}
	was, is := c.before.claim(Mods), cp.claim(Mods)
	switch {
	case is == nil || !is.Read || !was.Read:
		return short(ReasonUnproven, "claim mods was not read")
	case is.Marker != c.Run.CloneMods:
		return short(ReasonNoWayBack, "mods hold %q, want the clone's own %q", is.Marker, c.Run.CloneMods)
	case c.Run.Scenario != ScenarioUpdate && is.Tree != was.Tree:
		return short(ReasonNoWayBack, "mods tree %q, want %q", is.Tree, was.Tree)
	}
	return shortfall{}
}
