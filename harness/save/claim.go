package save

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

// MarkerFile carries a marker at the root of a claim.
const MarkerFile = "rehearsal.marker"

// worldDir is where the primary claim holds the world.
const worldDir = "world"

// Mount is a volume and where it is mounted.
type Mount struct {
	Role string
	Dir  string
}

// Claim is what was read from a volume.
type Claim struct {
	Role   string `json:"role"`
	Marker string `json:"marker"` // of MarkerFile, "" where there is none that can be read
	Tree   string `json:"tree"`   // digest of the content manifest, "" where there is none: Error says why
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	// Error says what of the content could not be read: a tree beyond the limits, or a marker file that is none. At most
	// receipts.MaxMessage bytes.
	Error string `json:"error,omitempty"`
}

// Excluded are the paths that the manifest of a claim leaves out: what is there as long as a game runs, and what a
// file system makes for itself.
var Excluded = []string{worldDir + "/session.lock", "lost+found"}

// readClaim reads a volume, as far as the limits let it. Whatever is wrong with its content is in the Claim's Error; an
// error is returned where reading itself fails.
func readClaim(ctx context.Context, mount Mount, limits tree.Limits) (Claim, error) {
	root, err := os.OpenRoot(mount.Dir)
	if err != nil {
		return Claim{}, fmt.Errorf("claim %s: %w", mount.Role, err)
	}
	defer root.Close()
	manifest, treeErr := hashAtRest(ctx, mount.Dir, limits)
	marker, markerErr := readLine(root, MarkerFile)
	for _, err := range []error{treeErr, markerErr} {
		if unreadable(err) {
			return Claim{}, fmt.Errorf("claim %s: %w", mount.Role, err)
		}
	}
	claim := Claim{Role: mount.Role, Marker: marker, Tree: manifest.Digest, Files: manifest.Files, Bytes: manifest.Bytes}
	if err := errors.Join(treeErr, markerErr); err != nil {
		claim.Error = reason(err)
	}
	return claim, nil
}

// tries is how often content is read that does not hold together: a running game writes meanwhile, and replaces files
// whole.
const tries = 5

// hashAtRest tries again where a file vanished while the tree was read.
func hashAtRest(ctx context.Context, dir string, limits tree.Limits) (tree.Manifest, error) {
	for try := 1; ; try++ {
		manifest, err := tree.HashWithin(ctx, dir, limits, Excluded...)
		if err == nil || try == tries || unreadable(err) || errors.Is(err, tree.ErrLimit) {
			return manifest, err
		}
	}
}
