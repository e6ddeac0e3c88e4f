// Package docker runs the docker command, as kind does, so the user's docker
// context, host and credentials apply.
package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// OwnerLabel is on every container, volume and image that the harness creates in an
// engine. The harness removes nothing without it.
const OwnerLabel = "rehearsal.gameplane.local/owner"

// ErrNoEngine means that no Docker engine answers.
var ErrNoEngine = errors.New("no Docker engine answers: run scripts/engine, or start one")

// ErrDenied means that this user has no access to the Docker engine.
var ErrDenied = errors.New("the Docker engine refuses this user: add the user to the group docker and log in again, or run this as root")

// CommandError is a docker command that exited with a non-zero status.
type CommandError struct {
	Args   []string
	Stderr string
	Err    error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("docker %s: %v: %s", strings.Join(e.Args, " "), e.Err, e.Stderr)
}

func (e *CommandError) Unwrap() error { return e.Err }

// Output runs docker and returns its standard output without the final newline.
func Output(ctx context.Context, args ...string) (string, error) {
	return Input(ctx, nil, args...)
}

// Input is Output with standard input.
func Input(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "docker", args...)
	command.Stdin = stdin
	command.Stdout = &stdout
	command.Stderr = &stderr
	// A second Ctrl-C must not kill the cleanup after the first one.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A child of docker may hold the pipes open after docker itself was killed.
	command.WaitDelay = 5 * time.Second
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", &CommandError{Args: args, Stderr: tail(stderr.String()), Err: err}
	}
	return strings.TrimRight(stdout.String(), "\n"), nil
}

// Lines is Output split into lines; empty output gives none.
func Lines(ctx context.Context, args ...string) ([]string, error) {
	output, err := Output(ctx, args...)
	if err != nil || output == "" {
		return nil, err
	}
	return strings.Split(output, "\n"), nil
}

// Server describes a Docker engine.
type Server struct {
	// Arch is the engine's architecture in Go's spelling.
	Arch string
	// CgroupVersion is "1" or "2".
	CgroupVersion string
}

// Ping asks the engine for its properties. The error is ErrNoEngine if none answers
// within 15 seconds, and ErrDenied if the user has no access to its socket.
func Ping(ctx context.Context) (Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	output, err := Output(ctx, "info", "--format", "{{.Architecture}} {{.CgroupVersion}}")
	var failed *CommandError
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "permission denied") {
		return Server{}, fmt.Errorf("%w (%w)", ErrDenied, err)
	}
	if err != nil {
		return Server{}, fmt.Errorf("%w (%w)", ErrNoEngine, err)
	}
	machine, cgroup, _ := strings.Cut(output, " ")
	if machine == "" {
		return Server{}, ErrNoEngine
	}
	return Server{Arch: goArch(machine), CgroupVersion: cgroup}, nil
}

func goArch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return machine
}

// tail returns the end of a command's error output: long enough to show the cause.
func tail(text string) string {
	const limit = 2000
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	return "…" + text[len(text)-limit:]
}
