package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// checkHistory adds the checks of the clone over all checkpoints.
func (h *history) checkHistory(l *checklist) {
	l.require("checkpoints-ordered", "before, candidate, rollback, restored: each once, in this order, at rising times",
		h.describeOrder, h.orderProblem())
	l.require("checkpoints-pinned", "each checkpoint asks for the revision that it is named for", constant("so they do"), h.revisionProblem())
	l.require("before-reached", "the restored clone runs the baseline and the player finds the marker", seen(h.before), h.beforeProblem())
	l.require("backup-seed", "the clone was restored from the backup's snapshot", h.describeBackup, h.seedProblem())
	l.require("claims-kept", "the same claims and volumes at every checkpoint", h.describeClaims, h.claimsProblem())
	l.require("candidate-image", "no other digest than the candidate's ran as the candidate", h.describeImage, h.imageProblem())
	l.require("candidate-observed", "the candidate was reached or refused in a pod of its own", seen(h.candidate), h.observedProblem())
	l.require("joins-controlled", "every probe was seen to fail where nothing listens", constant("every one"), h.controlProblem())
	l.require("architecture-kept", "every pod ran on the node's architecture", constant(h.Environment.Architecture), h.architectureProblem())
}

func (h *history) describeOrder() string {
	names := make([]string, len(h.Checkpoints))
	for i, cp := range h.Checkpoints {
		names[i] = cp.Name
	}
	return list(names)
}

// seen returns a function that describes in a few words what was observed at a checkpoint.
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

func (h *history) describeBackup() string {
	if h.Backup == nil {
		return "no backup"
	}
	return "snapshot " + h.Backup.Snapshot
}

func (h *history) describeClaims() string {
	if h.before == nil {
		return "not observed"
	}
	claims := make([]string, len(h.before.Claims))
	for i, claim := range h.before.Claims {
		claims[i] = claim.Role + " " + claim.UID
	}
	return list(claims)
}

func (h *history) describeImage() string {
	if h.candidate == nil || h.candidate.Pod == nil || h.candidate.Pod.ImageID == "" {
		return "no image ran"
	}
	return h.candidate.Pod.ImageID
}

func (h *history) orderProblem() string {
	names := []string{statement.Before, statement.Candidate, statement.Rollback, statement.Restored}
	last := -1
	at := h.Run.StartedAt
	for _, cp := range h.Checkpoints {
		i := slices.Index(names, cp.Name)
		switch {
		case i < 0:
			return fmt.Sprintf("unknown checkpoint %q", cp.Name)
		case i <= last:
			return "checkpoint " + cp.Name + " out of order"
		case cp.At.Before(at) || last >= 0 && cp.At.Equal(at) || cp.At.After(h.Run.FinishedAt):
			return "checkpoint " + cp.Name + " at a time out of order"
		case cp.Outcome != statement.Reached && cp.Outcome != statement.Refused:
			return fmt.Sprintf("checkpoint %s has the outcome %q", cp.Name, cp.Outcome)
		}
		last, at = i, cp.At
	}
	return ""
}

func (h *history) revisionProblem() string {
	for _, cp := range h.Checkpoints {
		want := h.Baseline.Digest
		if cp.Name == statement.Candidate {
			want = h.Candidate.Digest
		}
		if cp.Revision != want {
			return fmt.Sprintf("%s asks for %q", cp.Name, cp.Revision)
		}
	}
	return ""
}

func (h *history) beforeProblem() string {
	if f := h.checkpointFinding(h.before, h.Baseline); !f.none() {
		return f.problem()
	}
	if mods := h.before.Claim(statement.Mods); mods != nil && (!mods.Read || mods.Marker != h.Run.CloneMods) {
		return fmt.Sprintf("mods hold %q, want the clone's own %q", mods.Marker, h.Run.CloneMods)
	}
	return ""
}

func (h *history) seedProblem() string {
	seeds := h.restoresFor(statement.PurposeSeed)
	switch {
	case h.Backup == nil || h.Backup.UID == "":
		return "no backup"
	case !isHex(h.Backup.Snapshot, 64):
		return fmt.Sprintf("snapshot %q is not a restic snapshot id", h.Backup.Snapshot)
	case h.Backup.Revision != h.Baseline.Digest:
		return fmt.Sprintf("the backup records revision %q", h.Backup.Revision)
	case len(seeds) != 1 || h.Restores[0].Purpose != statement.PurposeSeed:
		return fmt.Sprintf("%d restores seed the clone, want 1, before all others", len(seeds))
	case len(h.Restores) > 2:
		return fmt.Sprintf("%d restores: the seed's and one for the rollback are all there can be", len(h.Restores))
	case len(h.Restores) == 2 && (h.Restores[1].Purpose != statement.PurposeRollback || h.Restores[1].UID == seeds[0].UID || h.Restores[1].Name == seeds[0].Name):
		return fmt.Sprintf("a second restore %s (%s) for %q", h.Restores[1].Name, h.Restores[1].UID, h.Restores[1].Purpose)
	case seeds[0].UID == "" || seeds[0].Name == "":
		return "the restore has no UID or no name"
	case seeds[0].Snapshot != h.Backup.Snapshot:
		return fmt.Sprintf("restored from snapshot %q", seeds[0].Snapshot)
	}
	return ""
}

// maxClaims bounds the work of comparing claims for a hostile receipt.
const maxClaims = 64

func (h *history) claimsProblem() string {
	if h.before == nil || h.before.Claim(statement.Primary) == nil {
		return "no primary claim before the candidate"
	}
	if n := len(h.before.Claims); n > maxClaims {
		return fmt.Sprintf("%d claims: at most %d", n, maxClaims)
	}
	if problem := ambiguous(h.before.Claims); problem != "" {
		return problem
	}
	for _, cp := range h.Checkpoints {
		if len(cp.Claims) != len(h.before.Claims) {
			return fmt.Sprintf("%d claims at %s, %d before", len(cp.Claims), cp.Name, len(h.before.Claims))
		}
		for i := range h.before.Claims {
			was := &h.before.Claims[i]
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
	return h.contentProblem()
}

// contentProblem finds two readings that contradict each other. The same tree always holds the same marker, the same
// number of files and bytes, and, in the primary claim, the same world.
func (h *history) contentProblem() string {
	points := h.checkpoints()
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

// contradiction returns a claim on which two checkpoints contradict each other, or nil.
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

// ambiguous describes a claim that has an unknown role or that cannot be told apart from another one. A server has one
// primary claim, at most one mods claim, and any number of extra claims.
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

// plausible says whether a claim can have the content that the receipt records for it.
func plausible(c *statement.Claim) bool {
	if !c.Read {
		return c.Marker == "" && c.Tree == ""
	}
	bytes, ok := strictjson.CanonicalInteger(c.Bytes)
	return ok && bytes >= 0 && c.Files >= 0 && statement.IsDigest(c.Tree) && (c.Marker == "" || c.Files > 0 && bytes > 0)
}

// imageProblem accepts a refused candidate that never ran an image.
func (h *history) imageProblem() string {
	if h.candidate == nil || h.candidate.Pod == nil {
		return ""
	}
	pod := h.candidate.Pod
	if pod.ImageID == "" && h.candidate.Outcome == statement.Refused {
		return ""
	}
	if !h.Candidate.RunsAs(pod.ImageID) {
		return string(statement.ReasonWrongImage) + ": " + pod.ImageID
	}
	return ""
}

func (h *history) observedProblem() string {
	if h.candidate == nil {
		return "not observed"
	}
	if h.candidate.Outcome == statement.Refused && !isKnownReason(h.candidate.Reason) {
		return fmt.Sprintf("refused with an unknown reason %q", h.candidate.Reason)
	}
	if f := h.newPodFinding(h.candidate, h.before); !f.none() {
		return f.detail
	}
	return ""
}

func (h *history) controlProblem() string {
	joins := 0
	for _, cp := range h.Checkpoints {
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

func (h *history) architectureProblem() string {
	if h.Environment.Architecture == "" {
		return "no architecture"
	}
	for _, cp := range h.Checkpoints {
		if cp.Pod != nil && cp.Pod.Architecture != h.Environment.Architecture {
			return fmt.Sprintf("the pod at %s ran on %q", cp.Name, cp.Pod.Architecture)
		}
	}
	return ""
}

// finalCheckpoint returns the checkpoint at which the clone runs the baseline again, after a restore or without one.
func (h *history) finalCheckpoint() *statement.Checkpoint {
	if h.restored != nil {
		return h.restored
	}
	return h.rollback
}

// cloneRecoveredProblem requires that the final checkpoint shows the clone on the baseline, in a new pod.
func (h *history) cloneRecoveredProblem() string {
	if f := h.checkpointFinding(h.finalCheckpoint(), h.Baseline); !f.none() {
		return f.problem()
	}
	return h.newPodFinding(h.finalCheckpoint(), h.candidate).problem()
}

// servedOverHTTP says whether a probe of the candidate's pod found text over HTTP on the game port.
func (h *history) servedOverHTTP(text string) bool {
	return h.candidate != nil && slices.ContainsFunc(h.candidate.Joins, func(join statement.Join) bool {
		return text != "" && h.candidate.Pod != nil && join.Pod == h.candidate.Pod.UID && strings.Contains(join.HTTP, text)
	})
}
