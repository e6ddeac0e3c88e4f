package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// checkCourse adds what must hold of the clone on its way through the checkpoints.
func (c *history) checkHistory(l *checklist) {
	l.hold("checkpoints-ordered", "before, candidate, rollback, restored: each once, in this order, at rising times",
		c.describeOrder, c.orderProblem())
	l.hold("checkpoints-pinned", "each checkpoint asks for the revision that it is named for", say("so they do"), c.revisionProblem())
	l.hold("before-reached", "the restored clone runs the baseline and the player finds the marker", seen(c.before), c.beforeProblem())
	l.hold("backup-seed", "the clone was restored from the backup's snapshot", c.describeBackup, c.seedProblem())
	l.hold("claims-kept", "the same claims and volumes at every checkpoint", c.describeClaims, c.claimsProblem())
	l.hold("candidate-image", "no other digest than the candidate's ran as the candidate", c.describeImage, c.imageProblem())
	l.hold("candidate-observed", "the candidate was reached or refused in a pod of its own", seen(c.candidate), c.observedProblem())
	l.hold("joins-controlled", "every probe was seen to fail where nothing listens", say("every one"), c.controlProblem())
	l.hold("architecture-kept", "every pod ran on the node's architecture", say(c.Environment.Architecture), c.architectureProblem())
}

func (c *history) describeOrder() string {
	names := make([]string, len(c.Checkpoints))
	for i, cp := range c.Checkpoints {
		names[i] = cp.Name
	}
	return list(names)
}

// seen says in a few words what was seen at a checkpoint.
func seen(cp *statement.Checkpoint) func() string { return func() string { return describe(cp) } }

func describe(cp *statement.Checkpoint) string {
	switch {
	case cp == nil:
		return "not observed"
	case cp.Outcome == statement.Refused:
		return string(cp.Outcome) + ": " + string(cp.Reason)
	case len(cp.Joins) == 0:
		return string(cp.Outcome)
	}
	last := cp.Joins[len(cp.Joins)-1]
	return string(cp.Outcome) + ": " + last.Depth + ", marker " + last.Marker
}

func (c *history) describeBackup() string {
	if c.Backup == nil {
		return "no backup"
	}
	return "snapshot " + c.Backup.Snapshot
}

func (c *history) describeClaims() string {
	if c.before == nil {
		return "not observed"
	}
	claims := make([]string, len(c.before.Claims))
	for i, claim := range c.before.Claims {
		claims[i] = claim.Role + " " + claim.UID
	}
	return list(claims)
}

func (c *history) describeImage() string {
	if c.candidate == nil || c.candidate.Pod == nil || c.candidate.Pod.ImageID == "" {
		return "no image ran"
	}
	return c.candidate.Pod.ImageID
}

func (c *history) orderProblem() string {
	names := []string{statement.Before, statement.Candidate, statement.Rollback, statement.Restored}
	last := -1
	at := c.Run.StartedAt
	for _, cp := range c.Checkpoints {
		i := slices.Index(names, cp.Name)
		switch {
		case i < 0:
			return fmt.Sprintf("unknown checkpoint %q", cp.Name)
		case i <= last:
			return "checkpoint " + cp.Name + " out of order"
		case cp.At.Before(at) || last >= 0 && cp.At.Equal(at) || cp.At.After(c.Run.FinishedAt):
			return "checkpoint " + cp.Name + " at a time out of order"
		case cp.Outcome != statement.Reached && cp.Outcome != statement.Refused:
			return fmt.Sprintf("checkpoint %s has the outcome %q", cp.Name, cp.Outcome)
		}
		last, at = i, cp.At
	}
	return ""
}

func (c *history) revisionProblem() string {
	for _, cp := range c.Checkpoints {
		want := c.Baseline.Digest
		if cp.Name == statement.Candidate {
			want = c.Candidate.Digest
		}
		if cp.Revision != want {
			return fmt.Sprintf("%s asks for %q", cp.Name, cp.Revision)
		}
	}
	return ""
}

func (c *history) beforeProblem() string {
	if s := c.checkpointFinding(c.before, c.Baseline); !s.none() {
		return s.problem()
	}
	if mods := c.before.Claim(statement.Mods); mods != nil && (!mods.Read || mods.Marker != c.Run.CloneMods) {
		return fmt.Sprintf("mods hold %q, want the clone's own %q", mods.Marker, c.Run.CloneMods)
	}
	return ""
}

func (c *history) seedProblem() string {
	seeds := c.restoresFor(statement.PurposeSeed)
	switch {
	case c.Backup == nil || c.Backup.UID == "":
		return "no backup"
	case !isHex(c.Backup.Snapshot, 64):
		return fmt.Sprintf("snapshot %q is not a restic snapshot id", c.Backup.Snapshot)
	case c.Backup.Revision != c.Baseline.Digest:
		return fmt.Sprintf("the backup records revision %q", c.Backup.Revision)
	case len(seeds) != 1 || c.Restores[0].Purpose != statement.PurposeSeed:
		return fmt.Sprintf("%d restores seed the clone, want 1, before all others", len(seeds))
	case len(c.Restores) > 2:
		return fmt.Sprintf("%d restores: the seed's and one for the rollback are all there can be", len(c.Restores))
	case len(c.Restores) == 2 && (c.Restores[1].Purpose != statement.PurposeRollback || c.Restores[1].UID == seeds[0].UID || c.Restores[1].Name == seeds[0].Name):
		return fmt.Sprintf("a second restore %s (%s) for %q", c.Restores[1].Name, c.Restores[1].UID, c.Restores[1].Purpose)
	case seeds[0].UID == "" || seeds[0].Name == "":
		return "the restore has no UID or no name"
	case seeds[0].Snapshot != c.Backup.Snapshot:
		return fmt.Sprintf("restored from snapshot %q", seeds[0].Snapshot)
	}
	return ""
}

// maxClaims keeps the comparison of claims short, whatever a receipt says.
const maxClaims = 64

func (c *history) claimsProblem() string {
	if c.before == nil || c.before.Claim(statement.Primary) == nil {
		return "no primary claim before the candidate"
	}
	if n := len(c.before.Claims); n > maxClaims {
		return fmt.Sprintf("%d claims: at most %d", n, maxClaims)
	}
	if problem := ambiguous(c.before.Claims); problem != "" {
		return problem
	}
	for _, cp := range c.Checkpoints {
		if len(cp.Claims) != len(c.before.Claims) {
			return fmt.Sprintf("%d claims at %s, %d before", len(cp.Claims), cp.Name, len(c.before.Claims))
		}
		for i := range c.before.Claims {
			was := &c.before.Claims[i]
			is := sameClaim(&cp, was)
			if is == nil {
				return fmt.Sprintf("no %s claim %s at %s", was.Role, was.Name, cp.Name)
			}
			if is.UID == "" || is.UID != was.UID || is.Volume != was.Volume {
				return fmt.Sprintf("%s claim %s (%s) on volume %s at %s, was (%s) on %s",
					was.Role, is.Name, is.UID, is.Volume, cp.Name, was.UID, was.Volume)
			}
			if !plausible(is) {
				return fmt.Sprintf("%s claim %s at %s cannot have been read like this", was.Role, was.Name, cp.Name)
			}
		}
	}
	return c.contentProblem()
}

// contentProblem finds readings of which not both can be true: one tree holds one marker, so many files and bytes, and, in
// the primary claim, one world.
func (c *history) contentProblem() string {
	points := c.checkpoints()
	for i, now := range points {
		for _, earlier := range points[:i] {
			if now == nil || earlier == nil {
				continue
			}
			if claim := contradiction(now, earlier); claim != nil {
				return fmt.Sprintf("%s claim %s has one tree at %s and %s, and other content", claim.Role, claim.Name, earlier.Name, now.Name)
			}
		}
	}
	return ""
}

// contradiction finds a claim of which two checkpoints cannot both be true, nil where there is none.
func contradiction(now, other *statement.Checkpoint) *statement.Claim {
	for i := range now.Claims {
		is := &now.Claims[i]
		was := sameClaim(other, is)
		if was == nil || !is.Read || !was.Read || is.Tree != was.Tree {
			continue
		}
		if is.Marker != was.Marker || is.Files != was.Files || is.Bytes != was.Bytes ||
			is.Role == statement.Primary && now.World != nil && other.World != nil && *now.World != *other.World {
			return is
		}
	}
	return nil
}

// ambiguous says what of the claims is of no known role, or cannot be told apart. There is one primary claim, at most one
// for mods, and any number of extra ones.
func ambiguous(claims []statement.Claim) string {
	for i, claim := range claims {
		if claim.Role != statement.Primary && claim.Role != statement.Extra && claim.Role != statement.Mods {
			return fmt.Sprintf("claim %s of the unknown role %q", claim.Name, claim.Role)
		}
		if claim.Name == "" || claim.UID == "" || claim.Volume == "" {
			return fmt.Sprintf("%s claim %q (%s) on volume %q", claim.Role, claim.Name, claim.UID, claim.Volume)
		}
		for _, other := range claims[:i] {
			if other.Name == claim.Name || other.UID == claim.UID || other.Volume == claim.Volume ||
				other.Role == claim.Role && claim.Role != statement.Extra {
				return fmt.Sprintf("claims %s (%s) and %s (%s) are not two", other.Name, other.Role, claim.Name, claim.Role)
			}
		}
	}
	return ""
}

// plausible says whether what is said of a claim's content can have been read from one.
func plausible(c *statement.Claim) bool {
	if !c.Read {
		return c.Marker == "" && c.Tree == ""
	}
	bytes, ok := strictjson.CanonicalInteger(c.Bytes)
	return ok && bytes >= 0 && c.Files >= 0 && statement.IsDigest(c.Tree) && (c.Marker == "" || c.Files > 0 && bytes > 0)
}

// imageProblem allows a candidate that never ran any image: it is then refused, not mistaken.
func (c *history) imageProblem() string {
	if c.candidate == nil || c.candidate.Pod == nil {
		return ""
	}
	pod := c.candidate.Pod
	if pod.ImageID == "" && c.candidate.Outcome == statement.Refused {
		return ""
	}
	if !c.Candidate.RunsAs(pod.ImageID) {
		return string(statement.ReasonWrongImage) + ": " + pod.ImageID
	}
	return ""
}

func (c *history) observedProblem() string {
	if c.candidate == nil {
		return "not observed"
	}
	if c.candidate.Outcome == statement.Refused && !knownReason(c.candidate.Reason) {
		return fmt.Sprintf("refused with an unknown reason %q", c.candidate.Reason)
	}
	if s := c.newPodFinding(c.candidate, c.before); !s.none() {
		return s.detail
	}
	return ""
}

func (c *history) controlProblem() string {
	joins := 0
	for _, cp := range c.Checkpoints {
		for _, join := range cp.Joins {
			joins++
			if !join.Control {
				return "a probe at " + cp.Name + " has no control"
			}
		}
	}
	if joins == 0 {
		return "nobody tried to join"
	}
	return ""
}

func (c *history) architectureProblem() string {
	if c.Environment.Architecture == "" {
		return "no architecture"
	}
	for _, cp := range c.Checkpoints {
		if cp.Pod != nil && cp.Pod.Architecture != c.Environment.Architecture {
			return fmt.Sprintf("the pod at %s ran on %q", cp.Name, cp.Pod.Architecture)
		}
	}
	return ""
}

// last is the checkpoint at which the clone runs the baseline again, whichever way it took.
func (c *history) last() *statement.Checkpoint {
	if c.restored != nil {
		return c.restored
	}
	return c.rollback
}

// cloneBack wants the last checkpoint to show the clone on the baseline, in a pod of its own.
func (c *history) cloneRecoveredProblem() string {
	if s := c.checkpointFinding(c.last(), c.Baseline); !s.none() {
		return s.problem()
	}
	return c.newPodFinding(c.last(), c.candidate).problem()
}

// served says whether some probe of the candidate found text over HTTP on the game's port.
func (c *history) served(text string) bool {
	return c.candidate != nil && slices.ContainsFunc(c.candidate.Joins, func(join statement.Join) bool {
		return text != "" && c.candidate.Pod != nil && join.Pod == c.candidate.Pod.UID && strings.Contains(join.HTTP, text)
	})
}
