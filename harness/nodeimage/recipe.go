package nodeimage

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

const (
	kubernetesVersion = "v1.36.3"
	suite             = "bookworm"
	repository        = "rehearsal/node"
	mainModule        = "github.com/GameplanePanel/rehearsal"
	kindModule        = "sigs.k8s.io/kind"
)

// packages are what kind's base image installs, plus init, the container runtime and
// a static busybox for the storage helper.
var packages = []string{
	"systemd", "systemd-sysv",
	"conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux", "mount", "kmod",
	"libseccomp2", "pigz", "e2fsprogs", "bash", "ca-certificates", "jq", "procps", "socat", "hostname",
	"containerd", "runc", "containernetworking-plugins",
	"busybox-static",
}

// steps are the sources that determine the image's content: a change to any of them
// changes the tag.
//
//go:embed recipe.go rootfs.go kubernetes.go images.go elf.go install.go container.go files
var steps embed.FS

// recipe identifies an offline image by all its inputs.
type recipe struct {
	components string // directory of the module that pins the Kubernetes sources
	kind       string // directory of kind's module
	arch       string
	goVersion  string
}

func newRecipe(ctx context.Context, arch string) (recipe, error) {
	module, err := ociimage.ModuleDir(ctx, mainModule)
	if err != nil {
		return recipe{}, err
	}
	kind, err := ociimage.ModuleDir(ctx, kindModule)
	if err != nil {
		return recipe{}, err
	}
	version, err := ociimage.GoVersion(ctx)
	if err != nil {
		return recipe{}, err
	}
	return recipe{
		components: filepath.Join(module, "harness", "nodeimage", "components"),
		kind:       kind,
		arch:       arch,
		goVersion:  version,
	}, nil
}

// digest is the hash of all inputs, or without steps, of the programs' inputs alone.
func (r recipe) digest(withSteps bool) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s %s %s\n", r.arch, r.goVersion, kubernetesVersion, strings.Join(goBuilds().flags(), " "))
	if err := hashTree(sum, os.DirFS(r.components)); err != nil {
		return "", fmt.Errorf("hash %s: %w", r.components, err)
	}
	if withSteps {
		// A module directory's name holds its version.
		fmt.Fprintf(sum, "%s %s %s\n", filepath.Base(r.kind), suite, strings.Join(packages, " "))
		if err := hashTree(sum, steps); err != nil {
			return "", fmt.Errorf("hash of the build's own steps: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// rootDigest identifies the root file system.
func (r recipe) rootDigest() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{r.arch, suite}, packages...), " ")))
	return hex.EncodeToString(sum[:])[:12]
}

func hashTree(w io.Writer, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
}
