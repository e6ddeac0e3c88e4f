package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goBuild is one invocation of the compiler.
type goBuild struct {
	ldflags  string
	packages []string
}

type goBuildList []goBuild

// goBuilds are the programs of a node. One module holds them, so that they share
// compiled packages. Only the storage provisioner is separate, because its import
// "Sirupsen/logrus" collides with the others' "sirupsen/logrus".
func goBuilds() goBuildList {
	const version = "k8s.io/component-base/version."
	return goBuildList{
		{
			ldflags: fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=1 -X %[1]sgitMinor=36 -X %[1]sgitTreeState=clean",
				version, kubernetesVersion),
			packages: []string{
				"k8s.io/kubernetes/cmd/kube-apiserver",
				"k8s.io/kubernetes/cmd/kube-controller-manager",
				"k8s.io/kubernetes/cmd/kube-proxy",
				"k8s.io/kubernetes/cmd/kube-scheduler",
				"k8s.io/kubernetes/cmd/kubeadm",
				"k8s.io/kubernetes/cmd/kubectl",
				"k8s.io/kubernetes/cmd/kubelet",
				"go.etcd.io/etcd/server/v3",
				"sigs.k8s.io/cri-tools/cmd/crictl",
				"./coredns",
				"./pause",
			},
		},
		{ldflags: "-s -w", packages: []string{"github.com/rancher/local-path-provisioner"}},
	}
}

func (l goBuildList) flags() []string {
	var flags []string
	for _, b := range l {
		flags = append(append(flags, b.ldflags), b.packages...)
	}
	return flags
}

// programs returns the directory of the node's programs. It compiles them unless the
// cache has them.
func (b *build) programs(ctx context.Context) (string, error) {
	digest, err := b.recipe.digest(false)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.cache, "programs-"+digest)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	unfinished, err := os.MkdirTemp(b.cache, "unfinished-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	for _, build := range goBuilds() {
		if err := b.compile(ctx, build, unfinished); err != nil {
			return "", err
		}
	}
	// etcd's main package is named server.
	if err := os.Rename(filepath.Join(unfinished, "server"), filepath.Join(unfinished, "etcd")); err != nil {
		return "", err
	}
	return dir, os.Rename(unfinished, dir)
}

func (b *build) compile(ctx context.Context, g goBuild, dir string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", g.ldflags, "-o", dir + string(filepath.Separator)}
	command := exec.CommandContext(ctx, "go", append(args, g.packages...)...)
	command.Dir = b.recipe.components
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+b.recipe.arch)
	if printed, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", strings.Join(g.packages, " "), err, lastLines(string(printed), 10))
	}
	return nil
}
