package stage

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
)

const module = "github.com/GameplanePanel/rehearsal"

// Programs that the suite runs in the cluster beside the games, by repository.
const (
	witnessRepo  = "witness"
	operatorRepo = "operator"
	resticRepo   = "restic"
	gameRepo     = "game"
)

// images holds the reference by digest of everything that runs in the cluster.
type images struct {
	programs map[string]string
	games    map[games.Game]string
}

// built is a set of images that are not yet in any registry: building needs no cluster, so the two go side by side.
type built struct {
	programs map[string]v1.Image
	games    map[games.Game]v1.Image
}

// build compiles the programs and some games for one architecture. It needs the module's sources: the working directory must be
// inside a checkout.
func build(ctx context.Context, arch string, wanted []games.Game) (built, error) {
	dir, err := ociimage.ModuleDir(ctx, module)
	if err != nil {
		return built{}, err
	}
	tools := filepath.Join(dir, "harness", "backup", "tools")
	out := built{programs: map[string]v1.Image{}, games: map[games.Game]v1.Image{}}
	// One compiler at a time: each uses every core by itself, and they share what they have in common.
	for repo, program := range map[string]ociimage.Program{
		witnessRepo:  {Dir: dir, Package: "./cmd/witness"},
		operatorRepo: {Dir: dir, Package: "./fixtures/operator"},
		resticRepo:   {Dir: tools, Package: "github.com/restic/restic/cmd/restic"},
	} {
		program.Arch = arch
		if out.programs[repo], err = ociimage.Build(ctx, program); err != nil {
			return built{}, err
		}
	}
	for _, game := range wanted {
		program := ociimage.Program{Dir: dir, Package: "./fixtures/gameserver", Arch: arch, Ldflags: game.Ldflags()}
		if out.games[game], err = ociimage.Build(ctx, program); err != nil {
			return built{}, err
		}
	}
	return out, nil
}

// push puts everything into the cluster's registry.
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

// of returns a game as the engine takes it.
func (i images) of(game games.Game) rehearse.Image {
	return rehearse.Image{Name: game.Name, Ref: i.games[game], Fixture: true}
}
