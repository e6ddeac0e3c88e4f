// Package docker runs the docker command, as kind does: whatever context,
// host or credentials the user has set up for it hold here too.
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

// OwnerLabel is on every container, volume and image that the harness makes in
// an engine. Nothing without it is ever removed.
const OwnerLabel = "rehearsal.gameplane.local/owner"

// ErrNoEngine means that no Docker engine answers.
var ErrNoEngine = errors.New("no Docker engine answers: run scripts/engine, or start one")

// ErrDenied means that this user may not speak to the Docker engine.
var ErrDenied = errors.New("the Docker engine refuses this user: add the user to the group docker and log in again, or run this as root")

// CommandError is a docker command that ended with a status other than zero.
type CommandError struct {
	Args   []string
	Stderr string
	Err    error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("docker %s: %v: %s", strings.Join(e.Args, " "), e.Err, e.Stderr)
}

func (e *CommandError) Unwrap() error { return e.Err }

// Output runs docker and returns what it printed on its standard output,
// without the last line's end.
func Output(ctx context.Context, args ...string) (string, error) {
	return Input(ctx, nil, args...)
}

// Input is Output with a standard input for the command.
func Input(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "docker", args...)
	command.Stdin = stdin
	command.Stdout = &stdout
	command.Stderr = &stderr
	// A second Ctrl-C must not end what cleans up after the first one.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A child of docker may keep the pipes open after docker itself was killed.
	command.WaitDelay = 5 * time.Second
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", &CommandError{Args: args, Stderr: tail(stderr.String()), Err: err}
	}
	return strings.TrimRight(stdout.String(), "\n"), nil
}

// Lines is Output split into lines; no output gives none.
func Lines(ctx context.Context, args ...string) ([]string, error) {
	output, err := Output(ctx, args...)
	if err != nil || output == "" {
		return nil, err
	}
	return strings.Split(output, "\n"), nil
}

// Server is what a Docker engine says of itself.
type Server struct {
	// Arch is the engine's architecture in Go's spelling.
	Arch string
	// CgroupVersion is "1" or "2".
	CgroupVersion string
}

// Ping asks the engine for its properties; if none answers within 15 seconds,
// the error is ErrNoEngine, and ErrDenied if the user has no access to its socket.
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

// tail keeps the end of a command's errors: enough to tell, never a flood.
func tail(text string) string {
	const limit = 2000
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return text
	}
	return "…" + text[len(text)-limit:]
}
