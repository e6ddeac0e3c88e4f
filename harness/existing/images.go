package existing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/harness/save"
	"github.com/GameplanePanel/rehearsal/harness/witness"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Repositories of the harness's own images, below the registry that the configuration names.
const (
	witnessRepo  = "rehearsal-witness"
	httpOnlyRepo = "rehearsal-http-only"
)

// images are the references by digest that a run needs.
type images struct {
	witness    string
	httpOnly   rehearse.Image
	unpullable rehearse.Image
	baseline   rehearse.Image
	candidates []rehearse.Image
}

// prepareImages makes the harness's images of the running program, pushes them, and resolves every tag once.
func (s *Site) prepareImages(ctx context.Context, program string, model *adapter.Model) (images, error) {
	if program == "" {
		running, err := os.Executable()
		if err != nil {
			return images{}, err
		}
		program = running
	}
	var out images
	witnessImage, err := ociimage.FromExecutable(ociimage.Executable{Path: program, Name: witness.Name})
	if err != nil {
		return images{}, fmt.Errorf("witness image: %w", err)
	}
	if out.witness, err = s.push(ctx, witnessRepo, witnessImage); err != nil {
		return images{}, err
	}
	marker := model.Data + "/" + save.MarkerFile
	httpOnly, err := ociimage.FromExecutable(ociimage.Executable{
		Path: program, Name: witness.Name,
		Entrypoint: []string{"/usr/local/bin/" + witness.Name, "http-only", "--listen", fmt.Sprintf(":%d", s.containerPort()), "--marker", marker},
	})
	if err != nil {
		return images{}, fmt.Errorf("http-only image: %w", err)
	}
	ref, err := s.push(ctx, httpOnlyRepo, httpOnly)
	if err != nil {
		return images{}, err
	}
	out.httpOnly = rehearse.Image{Name: "http-only", Ref: ref, Fixture: true}
	out.unpullable = rehearse.Image{Name: "unpullable", Fixture: true,
		Ref: fmt.Sprintf("%s/%s@sha256:%x", s.config.Images.Registry, witnessRepo, sha256.Sum256([]byte("no image has this digest")))}
	return out, s.resolveGames(ctx, model, &out)
}

func (s *Site) resolveGames(ctx context.Context, model *adapter.Model, out *images) error {
	baseline := s.config.Baseline
	if baseline.Image == "" {
		baseline.Image = model.Image
	}
	ref, err := s.resolve(ctx, "baseline.image", baseline.Image)
	if err != nil {
		return err
	}
	if baseline.Name == "" {
		baseline.Name = "baseline"
	}
	out.baseline = rehearse.Image{Name: baseline.Name, Ref: ref}
	for i, candidate := range s.config.Candidates {
		ref, err := s.resolve(ctx, fmt.Sprintf("candidates[%d].image", i), candidate.Image)
		if err != nil {
			return err
		}
		out.candidates = append(out.candidates, rehearse.Image{Name: candidate.Name, Ref: ref, Bundle: candidate.Bundle})
	}
	return nil
}

// resolve returns a reference by digest. A tag is looked up once: what it names later does not count.
func (s *Site) resolve(ctx context.Context, key, image string) (string, error) {
	if statement.IsDigest(statement.ImageDigest(image)) {
		return image, nil
	}
	ref, err := name.ParseReference(s.pushName(image), s.nameOptions()...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	found, err := remote.Head(ref, s.remoteOptions(ctx)...)
	if err != nil {
		return "", fmt.Errorf("%s: look up tag of %s: %w", key, image, err)
	}
	repository, _, _ := strings.Cut(image, "@")
	if at := strings.LastIndexByte(repository, ':'); at > strings.LastIndexByte(repository, '/') {
		repository = repository[:at]
	}
	resolved := repository + "@" + found.Digest.String()
	s.log.Info("tag resolved, this once", "tag", image, "image", resolved)
	return resolved, nil
}

func (s *Site) push(ctx context.Context, repo string, image v1.Image) (string, error) {
	digest, err := image.Digest()
	if err != nil {
		return "", err
	}
	reference := s.config.Images.Registry + "/" + repo + "@" + digest.String()
	target, err := name.NewDigest(s.pushName(reference), s.nameOptions()...)
	if err != nil {
		return "", fmt.Errorf("images.registry: %w", err)
	}
	if err := remote.Write(target, image, s.remoteOptions(ctx)...); err != nil {
		return "", fmt.Errorf("push %s: %w", target, err)
	}
	return reference, nil
}

// pushName is how this machine names an image that the cluster names by images.registry.
func (s *Site) pushName(reference string) string {
	c := s.config.Images
	if rest, ours := strings.CutPrefix(reference, c.Registry+"/"); ours && c.Push != "" {
		return c.Push + "/" + rest
	}
	return reference
}

func (s *Site) nameOptions() []name.Option {
	if s.config.Images.Insecure {
		return []name.Option{name.Insecure}
	}
	return nil
}

// remoteOptions log in as docker does.
func (s *Site) remoteOptions(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}

// containerPort is where a game listens in its container: the Service's port is the same in Gameplane.
func (s *Site) containerPort() int {
	if s.config.Game.Port != 0 {
		return s.config.Game.Port
	}
	return defaultPort
}

const defaultPort = 25565

func limitsOf(l runconfig.Limits) rehearse.Limits {
	return rehearse.Limits{Start: duration(l.Start), Join: duration(l.Join), Hold: duration(l.Hold), Copy: duration(l.Copy)}
}
