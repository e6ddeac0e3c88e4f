// Package gameplane builds Gameplane's own operator and agent from a source tree that the user gives, and installs them
// in a cluster. The project holds nothing of Gameplane: it reads the CRDs from that tree, too.
package gameplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// Repository is where Gameplane's source is.
const Repository = "https://github.com/ValgulNecron/Gameplane"

// ErrSource means that a directory is not a source tree of Gameplane.
var ErrSource = errors.New("not a source tree of Gameplane: give the directory that holds its operator/ and agent/, such as a clone of " + Repository)

// crds is where a source tree holds its CRDs.
const crds = "operator/config/crd"

// parts are the files and directories of a source tree that Build and Install read.
var parts = []string{"operator/go.mod", "operator/cmd", crds, "agent/go.mod", "agent/cmd"}

// Check returns ErrSource, with the part that is missing, where src is not a source tree of Gameplane.
func Check(src string) error {
	for _, part := range parts {
		_, err := os.Stat(filepath.Join(src, filepath.FromSlash(part)))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has no %s: %w", src, part, ErrSource)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Images are the images of a source tree.
type Images struct {
	Operator, Agent v1.Image
}

// Build compiles the operator and the agent of a source tree for one architecture. The first time it downloads the
// modules that they need.
func Build(ctx context.Context, src, arch string) (Images, error) {
	if err := Check(src); err != nil {
		return Images{}, err
	}
	var images Images
	for part, image := range map[string]*v1.Image{"operator": &images.Operator, "agent": &images.Agent} {
		program := ociimage.Program{Dir: filepath.Join(src, part), Package: "./cmd", Arch: arch}
		built, err := ociimage.Build(ctx, program)
		if err != nil {
			return Images{}, fmt.Errorf("gameplane's %s: %w", part, err)
		}
		*image = built
	}
	return images, nil
}
