package nodeimage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// Values of Options.Want, which may also be an image reference.
const (
	// Auto takes an offline image if one exists, otherwise kind's default, otherwise
	// it builds offline.
	Auto = "auto"
	// Pull takes kind's default image and never builds.
	Pull = "pull"
	// Offline takes or builds the offline image and never pulls.
	Offline = "offline"
)

// EnvWant is the environment variable that applies if Options.Want is empty.
const EnvWant = "REHEARSAL_NODE_IMAGE"

// NetworkLabel is "static" on images with a configured pod network. A cluster of such
// an image must be created without kind's default network.
const NetworkLabel = "rehearsal.gameplane.local/network"

// Options describe the image to resolve.
type Options struct {
	// Want is Auto, Pull, Offline or an image reference; if empty, EnvWant applies, then Auto.
	Want string
	// NoBuild returns ErrNoImage instead of building an image.
	NoBuild bool
	// CacheDir is the offline build's cache; empty means rehearsal in the user's
	// cache directory.
	CacheDir string
	// Log receives the progress; nil means none.
	Log *slog.Logger
}

// ErrNoImage means that an image would have to be built, and that NoBuild forbids it.
var ErrNoImage = errors.New("the engine has no node image and can pull none")

// Image is a node image present in the engine.
type Image struct {
	// Ref is the engine's name for it.
	Ref string
	// StaticNetwork says that pods have a network without kindnet.
	StaticNetwork bool
}

// Resolve returns a node image and makes sure that the engine has it. The error is
// docker.ErrNoEngine if no engine answers, and ErrNoImage if NoBuild is set and an
// image would have to be built. Any other error names the failed step.
func Resolve(ctx context.Context, o Options) (Image, error) {
	server, err := docker.Ping(ctx)
	if err != nil {
		return Image{}, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Want = cmp.Or(o.Want, os.Getenv(EnvWant), Auto)
	switch o.Want {
	case Auto:
		return resolveAuto(ctx, o, server.Arch)
	case Pull:
		return pullDefault(ctx, o)
	case Offline:
		return resolveOffline(ctx, o, server.Arch)
	default:
		return explicit(ctx, o)
	}
}

func explicit(ctx context.Context, o Options) (Image, error) {
	if found, err := inspect(ctx, o.Want); err == nil {
		return found, nil
	}
	if err := pull(ctx, o.Log, o.Want); err != nil {
		return Image{}, fmt.Errorf("node image %s: %w", o.Want, err)
	}
	return inspect(ctx, o.Want)
}

func resolveAuto(ctx context.Context, o Options, arch string) (Image, error) {
	build, recipeErr := newBuild(ctx, o, arch)
	if recipeErr == nil {
		if found, err := inspect(ctx, build.tag()); err == nil {
			return found, nil
		}
	}
	found, pullErr := pullDefault(ctx, o)
	if pullErr == nil {
		return found, nil
	}
	if ctx.Err() != nil {
		return Image{}, pullErr
	}
	if recipeErr != nil {
		return Image{}, fmt.Errorf("%w; the offline build is not possible either: %w", pullErr, recipeErr)
	}
	if o.NoBuild {
		return Image{}, fmt.Errorf("%w: %w", ErrNoImage, pullErr)
	}
	o.Log.Info("kind's node image cannot be pulled, building one offline", "reason", pullErr)
	return build.run(ctx)
}

func pullDefault(ctx context.Context, o Options) (Image, error) {
	if found, err := inspect(ctx, defaults.Image); err == nil {
		return found, nil
	}
	if err := pull(ctx, o.Log, defaults.Image); err != nil {
		return Image{}, err
	}
	return inspect(ctx, defaults.Image)
}

func resolveOffline(ctx context.Context, o Options, arch string) (Image, error) {
	build, err := newBuild(ctx, o, arch)
	if err != nil {
		return Image{}, err
	}
	if found, err := inspect(ctx, build.tag()); err == nil {
		return found, nil
	}
	if o.NoBuild {
		return Image{}, ErrNoImage
	}
	return build.run(ctx)
}

// inspect finds an image in the engine.
func inspect(ctx context.Context, ref string) (Image, error) {
	network, err := docker.Output(ctx, "image", "inspect", "--format",
		fmt.Sprintf("{{index .Config.Labels %q}}", NetworkLabel), ref)
	if err != nil {
		return Image{}, err
	}
	return Image{Ref: ref, StaticNetwork: network == "static"}, nil
}
