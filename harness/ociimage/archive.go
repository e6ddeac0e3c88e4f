package ociimage

import (
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// WriteArchive writes images, keyed by their tags, in the format that "docker load"
// and "ctr images import" read.
func WriteArchive(w io.Writer, images map[string]v1.Image) error {
	tagged := make(map[name.Tag]v1.Image, len(images))
	for ref, image := range images {
		tag, err := name.NewTag(ref)
		if err != nil {
			return fmt.Errorf("tag %q: %w", ref, err)
		}
		tagged[tag] = image
	}
	if err := tarball.MultiWrite(tagged, w); err != nil {
		return fmt.Errorf("write image archive: %w", err)
	}
	return nil
}
