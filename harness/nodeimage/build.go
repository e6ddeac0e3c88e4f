package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// build is one offline build.
type build struct {
	recipe recipe
	digest string
	cache  string
	log    *slog.Logger
}

func newBuild(ctx context.Context, o Options, arch string) (*build, error) {
	cache := o.CacheDir
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("cache directory: %w", err)
		}
		cache = filepath.Join(user, "rehearsal")
	}
	recipe, err := newRecipe(ctx, arch)
	if err != nil {
		return nil, err
	}
	digest, err := recipe.digest(true)
	if err != nil {
		return nil, err
	}
	return &build{recipe: recipe, digest: digest, cache: cache, log: o.Log}, nil
}

func (b *build) tag() string { return repository + ":" + kubernetesVersion + "-" + b.digest }

var errNeedsRoot = fmt.Errorf("building a node image needs root: run \"rehearsal nodeimage\" once as root, with go in its PATH, or set %s to an image that the engine has or can pull", EnvWant)

// run builds the image, or waits for another process that is building it.
func (b *build) run(ctx context.Context) (Image, error) {
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return Image{}, fmt.Errorf("cache directory: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(b.cache, "nodeimage.lock"), b.log)
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	if found, err := inspect(ctx, b.tag()); err == nil {
		return found, nil
	}
	// Fail early: debootstrap itself would refuse only minutes later.
	if os.Geteuid() != 0 {
		return Image{}, errNeedsRoot
	}
	if err := b.steps(ctx); err != nil {
		return Image{}, fmt.Errorf("offline node image: %w", err)
	}
	b.prune(ctx)
	return inspect(ctx, b.tag())
}

func (b *build) steps(ctx context.Context) error {
	if _, err := Sweep(ctx, false); err != nil && !errors.Is(err, ErrBuilding) {
		return fmt.Errorf("remove the remains of an interrupted build: %w", err)
	}
	var root, programs, container string
	var images map[string]v1.Image
	defer func() {
		if container == "" {
			return
		}
		if err := removeContainer(ctx, container); err != nil {
			b.log.Warn("node image", "error", err)
		}
	}()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"root file system", func() (err error) { root, err = b.rootfs(ctx); return err }},
		{"programs", func() (err error) { programs, err = b.programs(ctx); return err }},
		{"base container", func() (err error) { container, err = b.start(ctx, root); return err }},
		{"install", func() error { return b.install(ctx, container, programs) }},
		{"component images", func() (err error) { images, err = b.images(ctx, programs, root); return err }},
		{"import images", func() error { return b.load(ctx, container, images) }},
		{"commit", func() error { return b.commit(ctx, container) }},
	} {
		began := time.Now()
		b.log.Info("node image: "+step.name, "image", b.tag())
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		b.log.Debug("node image: "+step.name+" done", "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// prune removes the images and programs of earlier recipes. The engine refuses to
// remove an image in use.
func (b *build) prune(ctx context.Context) {
	tags, err := docker.Lines(ctx, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", repository)
	if err != nil {
		b.log.Warn("node images of earlier recipes", "error", err)
	}
	for _, tag := range tags {
		if tag != b.tag() {
			_, _ = docker.Output(ctx, "rmi", tag)
		}
	}
	if err := b.pruneCache(); err != nil {
		b.log.Warn("programs of earlier recipes", "error", err)
	}
}

func (b *build) pruneCache() error {
	digest, err := b.recipe.digest(false)
	if err != nil {
		return err
	}
	kept := map[string]bool{"programs-" + digest: true, "rootfs-" + b.recipe.rootDigest(): true}
	for _, pattern := range []string{"programs-*", "rootfs-*", "unfinished-*"} {
		found, err := filepath.Glob(filepath.Join(b.cache, pattern))
		if err != nil {
			return err
		}
		for _, dir := range found {
			if kept[filepath.Base(dir)] {
				continue
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
