package stage

import (
	"context"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/fixtures/config"
	"github.com/GameplanePanel/rehearsal/harness/gameplane"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// operatorNamespace is the namespace of every operator.
const operatorNamespace = gameplane.Namespace

// Operator is an operator that a stage builds and installs: Reference or Gameplane.
type Operator interface {
	// name is the operator's in receipts.
	name() string
	// build compiles its programs, restic included. The result maps repositories to images; dir is the directory of the
	// module.
	build(ctx context.Context, dir, arch string) (map[string]v1.Image, error)
	// install takes references by digest, by repository.
	install(ctx context.Context, cluster *rest.Config, programs map[string]string) error
	// bind lets the operator work in a namespace that has no server yet.
	bind(ctx context.Context, cluster *rest.Config, namespace string) error
}

// Reference is the reference operator.
type Reference struct {
	Defects []string // for tests: see config.Values
}

func (Reference) name() string { return "reference" }

func (Reference) build(ctx context.Context, dir, arch string) (map[string]v1.Image, error) {
	operator, err := ociimage.Build(ctx, ociimage.Program{Dir: dir, Package: "./fixtures/operator", Arch: arch})
	if err != nil {
		return nil, err
	}
	restic, err := ociimage.Build(ctx, restic(dir, arch))
	if err != nil {
		return nil, err
	}
	return map[string]v1.Image{operatorRepo: operator, resticRepo: restic}, nil
}

func (r Reference) install(ctx context.Context, cluster *rest.Config, programs map[string]string) error {
	return config.Install(ctx, cluster, config.Values{
		Namespace:     operatorNamespace,
		OperatorImage: programs[operatorRepo],
		ResticImage:   programs[resticRepo],
		Defects:       r.Defects,
	})
}

// bind has nothing to do: the reference operator may work in every namespace.
func (Reference) bind(context.Context, *rest.Config, string) error { return nil }

// Gameplane is Gameplane's own operator.
type Gameplane struct {
	Source string // the directory of a source tree of Gameplane
}

func (Gameplane) name() string { return "gameplane" }

func (g Gameplane) build(ctx context.Context, dir, arch string) (map[string]v1.Image, error) {
	own, err := gameplane.Build(ctx, g.Source, arch)
	if err != nil {
		return nil, err
	}
	// The operator's backups run a line of shell before restic.
	program := restic(dir, arch)
	program.Executables = map[string]string{"/bin/sh": "mvdan.cc/sh/v3/cmd/gosh"}
	restic, err := ociimage.Build(ctx, program)
	if err != nil {
		return nil, err
	}
	return map[string]v1.Image{operatorRepo: own.Operator, agentRepo: own.Agent, resticRepo: restic}, nil
}

func (g Gameplane) install(ctx context.Context, cluster *rest.Config, programs map[string]string) error {
	return gameplane.Install(ctx, cluster, gameplane.Options{
		Source:   g.Source,
		Operator: programs[operatorRepo],
		Agent:    programs[agentRepo],
		Restic:   programs[resticRepo],
	})
}

func (Gameplane) bind(ctx context.Context, cluster *rest.Config, namespace string) error {
	return gameplane.Bind(ctx, cluster, namespace)
}

// restic is the program of backups, whose version is pinned by a separate module.
func restic(dir, arch string) ociimage.Program {
	return ociimage.Program{
		Dir:     filepath.Join(dir, "harness", "backup", "tools"),
		Package: "github.com/restic/restic/cmd/restic",
		Arch:    arch,
	}
}
