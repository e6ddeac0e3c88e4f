package save

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Observation is the observed content of a server's volumes.
type Observation struct {
	Claims []Claim `json:"claims"` // in the order of the mounts
	World  *World  `json:"world"`  // of the primary claim; nil if there is none or it is unreadable
	// WorldError says why an existing world is unreadable. At most statement.MaxMessage bytes.
	WorldError string `json:"worldError,omitempty"`
}

// Observe reads one volume of each role within the default limits. claims maps roles to mount points. The claims of the
// result are sorted by role.
func Observe(ctx context.Context, claims map[string]string) (Observation, error) {
	var mounts []Mount
	for _, role := range slices.Sorted(maps.Keys(claims)) {
		mounts = append(mounts, Mount{Role: role, Dir: claims[role]})
	}
	return ObserveMounts(ctx, mounts, tree.Limits{})
}

// ObserveMounts reads volumes within limits; several may have the same role. The world is that of the first primary
// claim. Broken content causes no error: only reading itself can fail.
func ObserveMounts(ctx context.Context, mounts []Mount, limits tree.Limits) (Observation, error) {
	o := Observation{Claims: []Claim{}}
	for _, mount := range mounts {
		claim, err := readClaim(ctx, mount, limits)
		if err != nil {
			return Observation{}, err
		}
		o.Claims = append(o.Claims, claim)
	}
	i := slices.IndexFunc(mounts, func(m Mount) bool { return m.Role == statement.Primary })
	if i < 0 {
		return o, nil
	}
	world, err := worldAtRest(ctx, mounts[i].Dir)
	switch {
	case errors.Is(err, ErrNoWorld):
	case unreadable(err):
		return Observation{}, fmt.Errorf("claim %s: %w", statement.Primary, err)
	case err != nil:
		o.WorldError = reason(err)
	default:
		o.World = &world
	}
	return o, nil
}

// worldAtRest reads again if the world is inconsistent: a running game may have been writing it. Damage that both reads
// find is permanent.
func worldAtRest(ctx context.Context, dir string) (World, error) {
	damaged := 0
	for try := 1; ; try++ {
		world, err := worldOf(ctx, dir)
		if err == nil && world.Damaged == damaged || try == tries || unreadable(err) || errors.Is(err, ErrNoWorld) {
			return world, err
		}
		damaged = world.Damaged
	}
}

// worldOf reads the world of the claim at dir. It does not follow links out of the claim.
func worldOf(ctx context.Context, dir string) (World, error) {
	claim, err := os.OpenRoot(dir)
	if err != nil {
		return World{}, err
	}
	defer claim.Close()
	root, err := claim.OpenRoot(worldDir)
	if errors.Is(err, fs.ErrNotExist) {
		return World{}, ErrNoWorld
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return World{}, fmt.Errorf("%s: %w", worldDir, failed.Err) // without the mount's path
	}
	if err != nil {
		return World{}, err
	}
	defer root.Close()
	return read(ctx, root)
}

// Loss names what an update lost of the volumes' content.
type Loss string

const (
	LossNone    Loss = ""
	LossWorld   Loss = "world"   // the world is missing, or it is another one
	LossPrimary Loss = "primary" // the marker of the primary claim
	LossExtra   Loss = "extra"   // the marker of another claim
	LossChunks  Loss = "chunks"  // chunks of the world
	LossPlayers Loss = "players" // players' data
	LossFormat  Loss = "format"  // nothing, but a newer version rewrote the save
)

// Lost compares two observations of the same volumes.
func Lost(before, after Observation) Loss {
	if before.World != nil && (after.World == nil || after.World.Nonce != before.World.Nonce) {
		return LossWorld
	}
	for i, claim := range before.Claims {
		if i < len(after.Claims) && after.Claims[i].Role == claim.Role && after.Claims[i].Marker == claim.Marker {
			continue
		}
		if claim.Role == statement.Primary {
			return LossPrimary
		}
		return LossExtra
	}
	switch was, is := before.World, after.World; {
	case was == nil:
	case is.Chunks.Count < was.Chunks.Count:
		return LossChunks
	case is.PlayerCount < was.PlayerCount:
		return LossPlayers
	case is.DataVersion != was.DataVersion:
		return LossFormat
	}
	return LossNone
}
