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

// DefaultUser is the user and group that a program runs as unless it asks for
// another: the unprivileged "nonroot" of distroless images.
const DefaultUser = "65532:65532"

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Contents describes an image of one layer.
type Contents struct {
	// Files are what the layer holds. Their order does not matter; parent
	// directories are added with mode 0755.
	Files []File
	// OS and Arch are the platform; OS is linux unless given.
	OS, Arch string
	// Entrypoint and User are those of the image's configuration. No User
	// means root.
	Entrypoint []string
	User       string
	// Labels are those of the image's configuration.
	Labels map[string]string
	// Uncompressed leaves the layer as it is: for images that pass no network.
	Uncompressed bool
}

// Assemble makes an image of c. The sources of its files are read again
// whenever the image is read, so they must stay as they are.
func Assemble(c Contents) (v1.Image, error) {
	if c.Arch == "" {
		return nil, fmt.Errorf("image of %v: no architecture given", c.Entrypoint)
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
