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

// ErrBuilding means that a build is at work, and its container was left alone.
var ErrBuilding = errors.New("a node image is being built")

// ownerBuild marks the container of a build.
const ownerBuild = docker.OwnerLabel + "=nodeimage-build"

// Sweep removes the containers of builds that were killed, and returns the ids of those that are gone. The
// error is ErrBuilding if a build is at work on the engine; all of them are removed
// nonetheless if that is forced.
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

// removeContainer also works when ctx has been cancelled. The base image goes
// with it unless a committed image needs it.
func removeContainer(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	base, _ := docker.Output(ctx, "inspect", "--format", "{{.Image}}", container)
	if _, err := docker.Output(ctx, "rm", "--force", "--volumes", container); err != nil {
		return fmt.Errorf("the container of a node image's build stays behind: %w", err)
	}
	if base != "" {
		_, _ = docker.Output(ctx, "rmi", base) // refused while the image built on it is there
	}
	return nil
}

// builderName names the container of this process's build. Builds of several users do
// not see each other's lock, and tell by it whether the builder lives.
func builderName() (string, error) {
	start, err := processStart(os.Getpid())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("rehearsal-nodeimage-%s-%d-%s", hostID(), os.Getpid(), start), nil
}

var validBuilder = regexp.MustCompile(`^rehearsal-nodeimage-([0-9a-f]{12})-([1-9][0-9]{0,9})-([0-9]+)$`)

// builderAtWork tells whether the builder of a container with this name lives. One on
// another machine that shares the engine is believed to.
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

// hostID tells machines, and containers with processes of their own, apart.
func hostID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(host)))[:12]
}

// processStart is when a process began, in clock ticks after boot. With it a number
// that was given again is not taken for the process.
func processStart(pid int) (string, error) {
	const afterName = 19 // fields between the command's name and the start time, proc(5)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	// The name is in parentheses and may hold any of them, and spaces.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= afterName {
		return "", fmt.Errorf("/proc/%d/stat has too few fields", pid)
	}
	if fields[0] == "Z" {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fields[afterName], nil
}
