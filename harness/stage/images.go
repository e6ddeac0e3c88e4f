package stage

import (
	"context"
	"crypto/sha256"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
)

const module = "github.com/GameplanePanel/rehearsal"

// Repositories of the images in the cluster's registry.
const (
	witnessRepo  = "witness"
	operatorRepo = "operator"
	agentRepo    = "agent"
	resticRepo   = "restic"
	gameRepo     = "game"
)

// images holds references by digest: of the programs by repository, and of the games.
type images struct {
	programs map[string]string
	games    map[games.Game]string
}

// built holds images that no registry has yet. Building needs no cluster, so the stage does both at the same time.
type built struct {
	programs map[string]v1.Image
	games    map[games.Game]v1.Image
}

// build compiles the witness, the operator's programs and the wanted games for one architecture. The working directory must be
// inside a checkout of the module.
func build(ctx context.Context, arch string, operator Operator, wanted []games.Game) (built, error) {
	dir, err := ociimage.ModuleDir(ctx, module)
	if err != nil {
		return built{}, err
	}
	// One build at a time: each uses all cores, and later ones reuse the compiled packages of earlier ones.
	programs, err := operator.build(ctx, dir, arch)
	if err != nil {
		return built{}, err
	}
	out := built{programs: programs, games: map[games.Game]v1.Image{}}
	if programs[witnessRepo], err = ociimage.Build(ctx, ociimage.Program{Dir: dir, Package: "./cmd/witness", Arch: arch}); err != nil {
		return built{}, err
	}
	for _, game := range wanted {
		program := ociimage.Program{Dir: dir, Package: "./fixtures/gameserver", Arch: arch, Ldflags: game.Ldflags()}
		if out.games[game], err = ociimage.Build(ctx, program); err != nil {
			return built{}, err
		}
	}
	return out, nil
}

// push pushes the images to the cluster's registry.
func (b built) push(ctx context.Context, to *cluster.Cluster) (images, error) {
	out := images{programs: map[string]string{}, games: map[games.Game]string{}}
	for repo, image := range b.programs {
		ref, err := to.Push(ctx, repo, image)
		if err != nil {
			return images{}, err
		}
		out.programs[repo] = ref
	}
	for game, image := range b.games {
		ref, err := to.Push(ctx, gameRepo, image)
		if err != nil {
			return images{}, err
		}
		out.games[game] = ref
	}
	out.games[games.Unpullable] = fmt.Sprintf("%s/%s@sha256:%x", to.Registry(), gameRepo, sha256.Sum256([]byte(games.Unpullable.Name)))
	return out, nil
}

// of returns the image of a game, as package rehearse takes it.
func (i images) of(game games.Game) rehearse.Image {
	return rehearse.Image{Name: game.Name, Ref: i.games[game], Fixture: true}
}
