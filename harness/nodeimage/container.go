package nodeimage

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// start imports the root file system and runs an idle container of it, whose name
// identifies the builder.
func (b *build) start(ctx context.Context, root string) (string, error) {
	name, err := builderName()
	if err != nil {
		return "", err
	}
	base, err := importRoot(ctx, root)
	if err != nil {
		return "", fmt.Errorf("import: %w", err)
	}
	container, err := docker.Output(ctx, "run", "--detach", "--name", name, "--label", ownerBuild, "--network", "none",
		// systemd shuts down on this signal; the committed image keeps the setting.
		"--stop-signal", "SIGRTMIN+3",
		"--security-opt", "seccomp=unconfined", "--entrypoint", "sleep", base, "infinity")
	if err != nil {
		return "", fmt.Errorf("run: %w", err)
	}
	return container, nil
}

func importRoot(ctx context.Context, root string) (string, error) {
	var stderr bytes.Buffer
	tar := exec.CommandContext(ctx, "tar", "--create", "--numeric-owner", "--one-file-system", "--directory", root, ".")
	tar.Stderr = &stderr
	stream, err := tar.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := tar.Start(); err != nil {
		return "", err
	}
	id, err := docker.Input(ctx, stream, "import", "-")
	if err != nil {
		_ = stream.Close() // otherwise tar would wait forever for a reader
	}
	if tarErr := tar.Wait(); err == nil && tarErr != nil {
		err = fmt.Errorf("tar %s: %w: %s", filepath.Base(root), tarErr, stderr.String())
	}
	return id, err
}

// commit tags the container's content. It is the last step, so that only a complete
// image gets the tag.
func (b *build) commit(ctx context.Context, container string) error {
	_, err := docker.Output(ctx, "commit",
		"--change", `ENTRYPOINT [ "/usr/local/bin/entrypoint", "/sbin/init" ]`,
		"--change", "CMD []",
		"--change", "ENV container=docker",
		"--change", "LABEL "+docker.OwnerLabel+"=node "+NetworkLabel+"=static",
		container, b.tag())
	return err
}
