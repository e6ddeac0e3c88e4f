package evaluation

import (
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// worldFinding requires the marker in every claim that holds a part of the world (the primary claim and the extra
// claims), and the same world as at the checkpoint before.
func (h *history) worldFinding(cp *statement.Checkpoint) finding {
	was := cp
	if h.before != nil {
		was = h.before
	}
	if n := len(was.Claims); was.Claim(statement.Primary) == nil || n > maxClaims {
		return findingf(statement.ReasonUnproven, "no primary claim among %d", n)
	}
	for i := range was.Claims {
		want := &was.Claims[i]
		if want.Role != statement.Primary && want.Role != statement.Extra {
			continue
		}
		claim := sameClaim(cp, want)
		if claim == nil || !claim.Read {
			return findingf(statement.ReasonUnproven, "claim %s was not read", want.Role)
		}
		if claim.Marker != h.Run.Marker {
			return findingf(statement.ReasonWorldLost, "claim %s holds %q, want the marker %q", want.Role, claim.Marker, h.Run.Marker)
		}
	}
	if cp.World == nil || cp.World.Nonce == "" {
		return findingf(statement.ReasonUnproven, "the save was not read, or is no world with a nonce")
	}
	if was.World == nil {
		return finding{} // the checkpoint before has that finding
	}
	if cp.World.Nonce != was.World.Nonce {
		return findingf(statement.ReasonWorldLost, "world %q, want %q: a new world was made", cp.World.Nonce, was.World.Nonce)
	}
	if f := h.worldSizeFinding(cp, was.World); !f.none() {
		return f
	}
	if cp.World.DataVersion != was.World.DataVersion && cp.Claim(statement.Primary).Tree == was.Claim(statement.Primary).Tree {
		return findingf(statement.ReasonUnproven, "DataVersion %d, was %d, and not a byte of the world differs", cp.World.DataVersion, was.World.DataVersion)
	}
	return finding{}
}

// worldSizeFinding requires that the world has lost no chunks and no players. A restore drops the chunks that joins have
// generated since the backup, and the next join generates only some of them again: after a restore, half of the chunks
// are enough.
func (h *history) worldSizeFinding(cp *statement.Checkpoint, was *statement.World) finding {
	least := was.Chunks
	if cp.Name == statement.Restored {
		least = (least + 1) / 2
	}
	switch {
	case cp.World.Chunks < 1 || cp.World.Players < 0 || cp.World.DataVersion < 0:
		return findingf(statement.ReasonUnproven, "%d chunks, %d players, DataVersion %d", cp.World.Chunks, cp.World.Players, cp.World.DataVersion)
	case cp.World.Chunks < least:
		return findingf(statement.ReasonWorldLost, "%d chunks, %d before", cp.World.Chunks, was.Chunks)
	case cp.World.Players < was.Players:
		return findingf(statement.ReasonWorldLost, "%d players, %d before", cp.World.Players, was.Players)
	}
	return finding{}
}

// sameClaim returns the claim of the same role and name at another checkpoint, or nil.
func sameClaim(cp *statement.Checkpoint, was *statement.Claim) *statement.Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == was.Role && cp.Claims[i].Name == was.Name {
			return &cp.Claims[i]
		}
	}
	return nil
}

// saveRestoredFinding requires that the save has the version of the checkpoint before, without the candidate's format
// marker.
func (h *history) saveRestoredFinding() finding {
	if h.before == nil || h.before.World == nil || h.restored == nil || h.restored.World == nil {
		return findingf(statement.ReasonUnproven, "the save was not read")
	}
	was, is := h.before.World, h.restored.World
	if is.FormatMarker != was.FormatMarker {
		return findingf(statement.ReasonNoWayBack, "format marker %q, want %q", is.FormatMarker, was.FormatMarker)
	}
	if is.DataVersion != was.DataVersion {
		return findingf(statement.ReasonNoWayBack, "DataVersion %d, want %d", is.DataVersion, was.DataVersion)
	}
	return finding{}
}

// modsFinding requires that the mods claim still holds the clone's own value: a restore must not touch it. A user's
// plugins write files next to the mods; the games of the suite do not.
func (h *history) modsFinding(cp *statement.Checkpoint) finding {
	if h.before == nil || h.before.Claim(statement.Mods) == nil {
		return finding{}
	}
	was, is := h.before.Claim(statement.Mods), cp.Claim(statement.Mods)
	switch {
	case is == nil || !is.Read || !was.Read:
		return findingf(statement.ReasonUnproven, "claim mods was not read")
	case is.Marker != h.Run.CloneMods:
		return findingf(statement.ReasonNoWayBack, "mods hold %q, want the clone's own %q", is.Marker, h.Run.CloneMods)
	case h.Run.Scenario != statement.ScenarioUpdate && is.Tree != was.Tree:
		return findingf(statement.ReasonNoWayBack, "mods tree %q, want %q", is.Tree, was.Tree)
	}
	return finding{}
}
