package save

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

// MarkerFile is the file with a marker, at the root of a claim.
const MarkerFile = "rehearsal.marker"

// worldDir is the world's directory in the primary claim.
const worldDir = "world"

// Mount is a volume and its mount point.
type Mount struct {
	Role string
	Dir  string
}

// Claim is the observed content of a volume.
type Claim struct {
	Role   string `json:"role"`
	Marker string `json:"marker"` // of MarkerFile, "" if it is missing or unreadable
	Tree   string `json:"tree"`   // digest of the content manifest, "" if there is none: Error says why
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	// Error says which content could not be read: a tree over the limits, or an invalid marker file. At most
	// statement.MaxMessage bytes.
	Error string `json:"error,omitempty"`
}

// Excluded are the paths that a claim's manifest omits: files that exist only while a game runs, and files that a file
// system creates itself.
var Excluded = []string{worldDir + "/session.lock", "lost+found"}

// readClaim reads a volume within the limits. A fault of the content is in the Claim's Error; an error means that
// reading itself failed.
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

// tries is how often inconsistent content is read: a running game may be writing, and it replaces whole files.
const tries = 5

// hashAtRest retries if a file vanished while it read the tree.
func hashAtRest(ctx context.Context, dir string, limits tree.Limits) (tree.Manifest, error) {
	for try := 1; ; try++ {
		manifest, err := tree.HashWithin(ctx, dir, limits, Excluded...)
		if err == nil || try == tries || unreadable(err) || errors.Is(err, tree.ErrLimit) {
			return manifest, err
		}
	}
}
