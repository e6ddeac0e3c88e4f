package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// These images are named in files/default-storage.yaml.
const (
	storageProvisioner = "rehearsal.local/local-path-provisioner:offline"
	storageHelper      = "rehearsal.local/local-path-helper:offline"
)

// images builds the images that a node must have, under the names that kubeadm,
// containerd and the storage manifest use.
func (b *build) images(ctx context.Context, programs, root string) (map[string]v1.Image, error) {
	names, err := b.imageNames(ctx, programs)
	if err != nil {
		return nil, err
	}
	images := map[string]v1.Image{}
	for _, name := range names {
		program := path.Base(name[:strings.LastIndex(name, ":")])
		files := []ociimage.File{{Path: "/usr/local/bin/" + program, Mode: 0o755, Source: filepath.Join(programs, program)}}
		if program == "kube-proxy" {
			tools, err := firewallTools(root)
			if err != nil {
				return nil, fmt.Errorf("tools of kube-proxy: %w", err)
			}
			files = append(files, tools...)
		}
		if images[name], err = b.image(files, "/usr/local/bin/"+program); err != nil {
			return nil, fmt.Errorf("image %s: %w", name, err)
		}
	}
	if images[storageHelper], err = b.image(shellTools(root)); err != nil {
		return nil, fmt.Errorf("image %s: %w", storageHelper, err)
	}
	return images, nil
}

func (b *build) image(files []ociimage.File, entrypoint ...string) (v1.Image, error) {
	return ociimage.Assemble(ociimage.Contents{
		Files:      files,
		Arch:       b.recipe.arch,
		Entrypoint: entrypoint,
		// Every new node unpacks it.
		Uncompressed: true,
	})
}

// imageNames asks kubeadm for the names. It skips kubeadm's pause image, since
// containerd uses another one.
func (b *build) imageNames(ctx context.Context, programs string) ([]string, error) {
	kubeadm := exec.CommandContext(ctx, filepath.Join(programs, "kubeadm"),
		"config", "images", "list", "--kubernetes-version", kubernetesVersion)
	listed, err := kubeadm.Output()
	if err != nil {
		return nil, fmt.Errorf("kubeadm config images list: %w", err)
	}
	names := []string{storageProvisioner}
	for _, name := range strings.Fields(string(listed)) {
		if !strings.Contains(name, "/pause:") {
			names = append(names, name)
		}
	}
	pause, err := sandboxImage(filepath.Join(b.recipe.kind, "images", "base", "files", "etc", "containerd", "config.toml"))
	return append(names, pause), err
}

var sandboxLine = regexp.MustCompile(`(?m)^\s*sandbox_image\s*=\s*"([^"]+)"`)

func sandboxImage(config string) (string, error) {
	data, err := os.ReadFile(config)
	if err != nil {
		return "", err
	}
	found := sandboxLine.FindSubmatch(data)
	if found == nil {
		return "", fmt.Errorf("%s names no sandbox_image", config)
	}
	return string(found[1]), nil
}

// firewallTools are the programs that kube-proxy runs, with their libraries and
// iptables extensions.
func firewallTools(root string) ([]ociimage.File, error) {
	extensions, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*-linux-gnu", "xtables", "*.so"))
	if err != nil {
		return nil, err
	}
	binaries := []string{"usr/sbin/xtables-nft-multi", "usr/sbin/nft", "usr/sbin/conntrack"}
	for _, extension := range extensions {
		inRoot, err := filepath.Rel(root, extension)
		if err != nil {
			return nil, err
		}
		binaries = append(binaries, inRoot)
	}
	files, err := withLibraries(root, binaries)
	if err != nil {
		return nil, err
	}
	for _, family := range []string{"iptables", "ip6tables"} {
		for _, suffix := range []string{"", "-save", "-restore"} {
			files = append(files, ociimage.File{Path: "/usr/sbin/" + family + suffix, Link: "xtables-nft-multi"})
		}
	}
	return files, nil
}

// shellTools are the programs for the storage provisioner's helper scripts.
func shellTools(root string) []ociimage.File {
	files := []ociimage.File{{Path: "/bin/busybox", Mode: 0o755, Source: filepath.Join(root, "usr", "bin", "busybox")}}
	for _, name := range []string{"sh", "mkdir", "rm"} {
		files = append(files, ociimage.File{Path: "/bin/" + name, Link: "busybox"})
	}
	return files
}
