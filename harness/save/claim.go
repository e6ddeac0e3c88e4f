package save

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

// MarkerFile carries a marker at the root of a claim.
const MarkerFile = "rehearsal.marker"

// WorldDir is where the primary claim holds the world.
const WorldDir = "world"

// Claim is what was read from a volume.
type Claim struct {
	Role   string `json:"role"`
	Marker string `json:"marker"` // of MarkerFile, "" where there is none
	Tree   string `json:"tree"`   // digest of the content manifest
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

// Excluded are the paths that the manifest of a claim leaves out: what is there as long as a game runs, and what a
// file system makes for itself.
var Excluded = []string{WorldDir + "/session.lock", "lost+found"}

// ReadClaim reads the volume that is mounted at dir.
func ReadClaim(ctx context.Context, role, dir string) (Claim, error) {
	manifest, err := hashAtRest(ctx, dir)
	if err != nil {
		return Claim{}, fmt.Errorf("claim %s: %w", role, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Claim{}, fmt.Errorf("claim %s: %w", role, err)
	}
	marker, err := readLine(root, MarkerFile)
	if err = errors.Join(err, root.Close()); err != nil {
		return Claim{}, fmt.Errorf("claim %s: %w", role, err)
	}
	return Claim{Role: role, Marker: marker, Tree: manifest.Digest, Files: manifest.Files, Bytes: manifest.Bytes}, nil
}

// hashAtRest tries again where a file vanished while the tree was read: a running game replaces files whole.
func hashAtRest(ctx context.Context, dir string) (tree.Manifest, error) {
	const tries = 5
	for try := 1; ; try++ {
		manifest, err := tree.Hash(ctx, dir, Excluded...)
		if err == nil || try == tries || !errors.Is(err, fs.ErrNotExist) {
			return manifest, err
		}
	}
}

func worldOf(dir string) string { return filepath.Join(dir, WorldDir) }
