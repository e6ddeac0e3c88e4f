package evaluation

import (
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// worldKept wants the marker in every claim that holds the world (the primary one, and any number of extra ones), and
// the world to be the one of before.
func (c *history) worldFinding(cp *statement.Checkpoint) finding {
	was := cp
	if c.before != nil {
		was = c.before
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
		if claim.Marker != c.Run.Marker {
			return findingf(statement.ReasonWorldLost, "claim %s holds %q, want the marker %q", want.Role, claim.Marker, c.Run.Marker)
		}
	}
	if cp.World == nil || cp.World.Nonce == "" {
		return findingf(statement.ReasonUnproven, "the save was not read, or is no world with a nonce")
	}
	if was.World == nil {
		return finding{} // a shortfall of the checkpoint before
	}
	if cp.World.Nonce != was.World.Nonce {
		return findingf(statement.ReasonWorldLost, "world %q, want %q: a new world was made", cp.World.Nonce, was.World.Nonce)
	}
	if s := c.worldSizeFinding(cp, was.World); !s.none() {
		return s
	}
	if cp.World.DataVersion != was.World.DataVersion && cp.Claim(statement.Primary).Tree == was.Claim(statement.Primary).Tree {
		return findingf(statement.ReasonUnproven, "DataVersion %d, was %d, and not a byte of the world differs", cp.World.DataVersion, was.World.DataVersion)
	}
	return finding{}
}

// landKept wants land and players to have become no fewer. A restore takes back what visits since the backup had
// generated, and the next visit generates anew, as far as it gets: after one, half of the land is enough.
func (c *history) worldSizeFinding(cp *statement.Checkpoint, was *statement.World) finding {
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

// sameClaim finds a claim again at a later checkpoint.
func sameClaim(cp *statement.Checkpoint, was *statement.Claim) *statement.Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == was.Role && cp.Claims[i].Name == was.Name {
			return &cp.Claims[i]
		}
	}
	return nil
}

// saveBack wants the save to be of the version of before, without the candidate's format marker.
func (c *history) saveRestoredFinding() finding {
	if c.before == nil || c.before.World == nil || c.restored == nil || c.restored.World == nil {
		return findingf(statement.ReasonUnproven, "the save was not read")
	}
	was, is := c.before.World, c.restored.World
	if is.FormatMarker != was.FormatMarker {
		return findingf(statement.ReasonNoWayBack, "format marker %q, want %q", is.FormatMarker, was.FormatMarker)
	}
	if is.DataVersion != was.DataVersion {
		return findingf(statement.ReasonNoWayBack, "DataVersion %d, want %d", is.DataVersion, was.DataVersion)
	}
	return finding{}
}

// modsKept wants the mods to be the clone's own: a restore must not touch them. A user's plugins write beside them, the
// games of the suite do not.
func (c *history) modsFinding(cp *statement.Checkpoint) finding {
	if c.before == nil || c.before.Claim(statement.Mods) == nil {
		return finding{}
	}
	was, is := c.before.Claim(statement.Mods), cp.Claim(statement.Mods)
	switch {
	case is == nil || !is.Read || !was.Read:
		return findingf(statement.ReasonUnproven, "claim mods was not read")
	case is.Marker != c.Run.CloneMods:
		return findingf(statement.ReasonNoWayBack, "mods hold %q, want the clone's own %q", is.Marker, c.Run.CloneMods)
	case c.Run.Scenario != statement.ScenarioUpdate && is.Tree != was.Tree:
		return findingf(statement.ReasonNoWayBack, "mods tree %q, want %q", is.Tree, was.Tree)
	}
	return finding{}
}
