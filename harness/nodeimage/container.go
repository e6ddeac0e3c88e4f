package nodeimage

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// ownerBuild marks the container of a build; only one build runs at a time.
const ownerBuild = docker.OwnerLabel + "=nodeimage-build"

// start imports the root file system and runs an idle container of it.
func (b *build) start(ctx context.Context, root string) (string, error) {
	base, err := importRoot(ctx, root)
	if err != nil {
		return "", fmt.Errorf("import: %w", err)
	}
	container, err := docker.Output(ctx, "run", "--detach", "--label", ownerBuild, "--network", "none",
		// systemd shuts down on this one; the committed image keeps it.
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
	if tarErr := tar.Wait(); err == nil && tarErr != nil {
		err = fmt.Errorf("tar %s: %w: %s", filepath.Base(root), tarErr, stderr.String())
	}
	return id, err
}

// commit gives the container's content its tag: the last step, so that a tag is
// never on something half made.
func (b *build) commit(ctx context.Context, container string) error {
	_, err := docker.Output(ctx, "commit",
		"--change", `ENTRYPOINT [ "/usr/local/bin/entrypoint", "/sbin/init" ]`,
		"--change", "CMD []",
		"--change", "ENV container=docker",
		"--change", "LABEL "+docker.OwnerLabel+"=node "+NetworkLabel+"=static",
		container, b.tag())
	return err
}

// sweep removes containers of builds that were killed. The lock is held, so none
// of them is at work.
func (b *build) sweep(ctx context.Context) error {
	left, err := docker.Lines(ctx, "ps", "--all", "--quiet", "--filter", "label="+ownerBuild)
	if err != nil {
		return err
	}
	for _, container := range left {
		b.removeContainer(ctx, container)
	}
	return nil
}

// removeContainer also works when ctx has been cancelled. The base image goes
// with it unless a committed image needs it.
func (b *build) removeContainer(ctx context.Context, container string) {
	if container == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	base, _ := docker.Output(ctx, "inspect", "--format", "{{.Image}}", container)
	if _, err := docker.Output(ctx, "rm", "--force", "--volumes", container); err != nil {
		b.log.Warn("the build's container stays behind", "container", container, "error", err)
		return
	}
	if base != "" {
		_, _ = docker.Output(ctx, "rmi", base) // refused while the image built on it is there
	}
}
