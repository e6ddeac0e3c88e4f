package ociimage

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// DefaultUser is the default user and group of a program: the unprivileged "nonroot"
// of distroless images.
const DefaultUser = "65532:65532"

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Contents describes an image of one layer.
type Contents struct {
	// Files are the content of the layer, in any order. Parent directories are added
	// with mode 0755.
	Files []File
	// OS and Arch are the platform; OS is linux by default.
	OS, Arch string
	// Entrypoint and User go into the image's configuration. An empty User means root.
	Entrypoint []string
	User       string
	// Labels go into the image's configuration.
	Labels map[string]string
	// Uncompressed does not compress the layer: for images that no network carries.
	Uncompressed bool
}

// Assemble builds an image from c. Every read of the image reads the source files
// again, so they must not change.
func Assemble(c Contents) (v1.Image, error) {
	if c.Arch == "" {
		return nil, fmt.Errorf("image of %v: no architecture: set Arch", c.Entrypoint)
	}
	entries, err := layout(c.Files)
	if err != nil {
		return nil, err
	}
	layer, err := newLayer(entries, c.Uncompressed)
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer})
	if err != nil {
		return nil, fmt.Errorf("append layer: %w", err)
	}
	return configure(image, c)
}

func newLayer(entries []entry, uncompressed bool) (v1.Layer, error) {
	if uncompressed {
		return newRawLayer(entries)
	}
	return tarball.LayerFromOpener(opener(entries))
}

func configure(image v1.Image, c Contents) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	config = config.DeepCopy()
	config.OS = c.OS
	if config.OS == "" {
		config.OS = "linux"
	}
	config.Architecture = c.Arch
	config.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	config.Config.Env = []string{searchPath}
	config.Config.Entrypoint = slices.Clone(c.Entrypoint)
	config.Config.User = c.User
	config.Config.Labels = maps.Clone(c.Labels)
	configured, err := mutate.ConfigFile(image, config)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return configured, nil
}
