package nodeimage

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

//go:embed files
var embedded embed.FS

// KubeadmPatches is the directory of kubeadm patches in images with a static network.
const KubeadmPatches = "/kind/patches"

// nodePrograms run on the node itself; all others run only in pods.
var nodePrograms = []string{"kubeadm", "kubelet", "kubectl"}

// install copies kind's node files, the node's programs and the static network
// configuration into the container and sets up its units.
func (b *build) install(ctx context.Context, container, programs string) error {
	files, err := kindFiles(filepath.Join(b.recipe.kind, "images", "base", "files"))
	if err != nil {
		return fmt.Errorf("kind's node files: %w", err)
	}
	for _, program := range nodePrograms {
		files = append(files, ociimage.File{Path: "/usr/bin/" + program, Mode: 0o755, Source: filepath.Join(programs, program)})
	}
	files = append(files,
		ociimage.File{Path: "/usr/local/bin/crictl", Mode: 0o755, Source: filepath.Join(programs, "crictl")},
		ociimage.File{Path: "/kind/version", Data: []byte(kubernetesVersion)},
		embeddedFile("/kind/manifests/default-storage.yaml"),
		embeddedFile("/etc/cni/net.d/10-rehearsal.conflist"),
		embeddedFile(KubeadmPatches+"/corednsdeployment+strategic.yaml"),
	)
	if err := copyInto(ctx, container, files); err != nil {
		return err
	}
	_, err = docker.Input(ctx, bytes.NewReader(script("prepare.sh")), "exec", "-i", container, "bash", "-s")
	return err
}

// kindFiles are the files of kind's base image, at their paths.
func kindFiles(dir string) ([]ociimage.File, error) {
	var files []ociimage.File
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files = append(files, ociimage.File{Path: "/" + name, Source: filepath.Join(dir, name)})
		return nil
	})
	return files, err
}

func copyInto(ctx context.Context, container string, files []ociimage.File) error {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(ociimage.WriteTar(writer, files)) }()
	defer reader.Close()
	_, err := docker.Input(ctx, reader, "cp", "-", container+":/")
	return err
}

// load imports images into the container's own containerd, as kind does.
func (b *build) load(ctx context.Context, container string, images map[string]v1.Image) error {
	if err := copyInto(ctx, container, []ociimage.File{{Path: "/import.sh", Mode: 0o755, Data: script("import.sh")}}); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(ociimage.WriteArchive(writer, images)) }()
	defer reader.Close()
	if _, err := docker.Input(ctx, reader, "exec", "-i", container, "/import.sh"); err != nil {
		return err
	}
	_, err := docker.Output(ctx, "exec", container, "rm", "/import.sh")
	return err
}

func embeddedFile(target string) ociimage.File {
	return ociimage.File{Path: target, Data: script(path.Base(target))}
}

// script returns an embedded file; a missing one is a bug in the build.
func script(name string) []byte {
	data, err := embedded.ReadFile("files/" + name)
	if err != nil {
		panic(err)
	}
	return data
}
