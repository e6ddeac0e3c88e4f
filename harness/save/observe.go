package save

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Roles of claims.
const (
	RolePrimary = "primary"
	RoleExtra   = "extra"
)

// Observation is what was read from a server's volumes.
type Observation struct {
	Claims []Claim `json:"claims"`
	World  *World  `json:"world"` // of the primary claim; nil where it holds none
}

// Observe reads volumes, given by role and where they are mounted.
func Observe(ctx context.Context, claims map[string]string) (Observation, error) {
	o := Observation{Claims: []Claim{}}
	for _, role := range slices.Sorted(maps.Keys(claims)) {
		claim, err := ReadClaim(ctx, role, claims[role])
		if err != nil {
			return Observation{}, err
		}
		o.Claims = append(o.Claims, claim)
	}
	dir, ok := claims[RolePrimary]
	if !ok {
		return o, nil
	}
	world, err := Read(worldOf(dir))
	if errors.Is(err, ErrNoWorld) {
		return o, nil
	}
	if err != nil {
		return Observation{}, fmt.Errorf("claim %s: %w", RolePrimary, err)
	}
	o.World = &world
	return o, nil
}

// Loss names what an update lost of what was on the volumes.
type Loss string

const (
	LossNone    Loss = ""
	LossWorld   Loss = "world"   // there is no world any more, or it is another one
	LossPrimary Loss = "primary" // the marker of the primary claim
	LossExtra   Loss = "extra"   // the marker of another claim
	LossFormat  Loss = "format"  // nothing, but a newer version rewrote the save
)

// Lost compares two readings of the same volumes.
func Lost(before, after Observation) Loss {
	if before.World != nil && (after.World == nil || after.World.Nonce != before.World.Nonce) {
		return LossWorld
	}
	for _, claim := range before.Claims {
		i := slices.IndexFunc(after.Claims, func(c Claim) bool { return c.Role == claim.Role })
		if i >= 0 && after.Claims[i].Marker == claim.Marker {
			continue
		}
		if claim.Role == RolePrimary {
			return LossPrimary
		}
		return LossExtra
	}
	if before.World != nil && after.World.DataVersion != before.World.DataVersion {
		return LossFormat
	}
	return LossNone
}
