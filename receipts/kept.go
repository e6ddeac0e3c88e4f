package receipts

// worldKept wants the marker in every claim that holds the world (the primary one, and any number of extra ones), and
// the world to be the one of before.
func (c *course) worldKept(cp *Checkpoint) shortfall {
	was := cp
	if c.before != nil {
		was = c.before
	}
	if n := len(was.Claims); was.Claim(Primary) == nil || n > maxClaims {
		return short(ReasonUnproven, "no primary claim among %d", n)
	}
	for i := range was.Claims {
		want := &was.Claims[i]
		if want.Role != Primary && want.Role != Extra {
			continue
		}
		claim := sameClaim(cp, want)
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
	if cp.World.DataVersion != was.World.DataVersion && cp.Claim(Primary).Tree == was.Claim(Primary).Tree {
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

// sameClaim finds a claim again at a later checkpoint.
func sameClaim(cp *Checkpoint, was *Claim) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == was.Role && cp.Claims[i].Name == was.Name {
			return &cp.Claims[i]
		}
	}
	return nil
}

func (cp *Checkpoint) Claim(role string) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
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
	if c.before == nil || c.before.Claim(Mods) == nil {
		return shortfall{}
	}
	was, is := c.before.Claim(Mods), cp.Claim(Mods)
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
