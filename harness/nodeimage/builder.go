package nodeimage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// ErrBuilding means that a build is running, and that Sweep left its container alone.
var ErrBuilding = errors.New("a node image is being built")

// ownerBuild marks the container of a build.
const ownerBuild = docker.OwnerLabel + "=nodeimage-build"

// Sweep removes the containers of killed builds and returns the IDs of the removed ones. The error is ErrBuilding if a
// build is running on the engine; with force, Sweep removes its container too.
func Sweep(ctx context.Context, force bool) (removed []string, err error) {
	containers, err := docker.Lines(ctx, "ps", "--all", "--filter", "label="+ownerBuild, "--format", "{{.ID}} {{.Names}}")
	if err != nil {
		return nil, err
	}
	var left []string
	for _, container := range containers {
		id, name, _ := strings.Cut(container, " ")
		if !force && builderAtWork(name) {
			return nil, fmt.Errorf("container %s: %w", name, ErrBuilding)
		}
		left = append(left, id)
	}
	for _, id := range left {
		if failed := removeContainer(ctx, id); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed = append(removed, id)
	}
	return removed, err
}

// removeContainer also works after ctx is cancelled. It removes the base image too,
// unless a committed image needs it.
func removeContainer(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	base, _ := docker.Output(ctx, "inspect", "--format", "{{.Image}}", container)
	if _, err := docker.Output(ctx, "rm", "--force", "--volumes", container); err != nil {
		return fmt.Errorf("remove the container of the node image's build: %w", err)
	}
	if base != "" {
		_, _ = docker.Output(ctx, "rmi", base) // refused while an image is based on it
	}
	return nil
}

// builderName names the container of this process's build. Users do not see each
// other's locks; the name shows whether the builder lives.
func builderName() (string, error) {
	start, err := processStart(os.Getpid())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rehearsal-nodeimage-%s-%d-%s", hostID(), os.Getpid(), start), nil
}

var validBuilder = regexp.MustCompile(`^rehearsal-nodeimage-([0-9a-f]{12})-([1-9][0-9]{0,9})-([0-9]+)$`)

// builderAtWork reports whether the builder of a container with this name lives. A
// builder on another machine that shares the engine counts as alive.
func builderAtWork(container string) bool {
	parts := validBuilder.FindStringSubmatch(container)
	if parts == nil {
		return false
	}
	if parts[1] != hostID() {
		return true
	}
	var pid int
	if _, err := fmt.Sscan(parts[2], &pid); err != nil {
		return false
	}
	start, err := processStart(pid)
	return err == nil && start == parts[3]
}

// hostID distinguishes machines, and containers with their own process IDs.
func hostID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(host)))[:12]
}

// processStart is the start time of a process in clock ticks after boot. It
// distinguishes a process from a later one with the same ID.
func processStart(pid int) (string, error) {
	const afterName = 19 // fields between the command's name and the start time, proc(5)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The name is in parentheses and may contain parentheses and spaces.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= afterName {
		return "", fmt.Errorf("/proc/%d/stat has too few fields", pid)
	}
	if fields[0] == "Z" {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fields[afterName], nil
}
