package docker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stub replaces docker with a script.
func stub(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestInput(t *testing.T) {
	stub(t, `echo "$@"; cat`)
	got, err := Input(t.Context(), strings.NewReader("stdin\n"), "a", "b c")
	if err != nil || got != "a b c\nstdin" {
		t.Errorf("Input = %q, %v", got, err)
	}
}

func TestLinesOfNothing(t *testing.T) {
	stub(t, "")
	if lines, err := Lines(t.Context(), "ps"); lines != nil || err != nil {
		t.Errorf("Lines = %q, %v", lines, err)
	}
}

func TestCommandError(t *testing.T) {
	stub(t, `yes x | head -c 5000 >&2; echo "the end" >&2; exit 3`)
	_, err := Output(t.Context(), "run")
	var failed *CommandError
	if !errors.As(err, &failed) {
		t.Fatalf("error is %T", err)
	}
	if !strings.HasSuffix(failed.Stderr, "the end") || len(failed.Stderr) > 2100 {
		t.Errorf("%d bytes of errors that end in %q", len(failed.Stderr), failed.Stderr[len(failed.Stderr)-10:])
	}
}

func TestCancelledCommandGivesTheCause(t *testing.T) {
	stub(t, "exec sleep 60")
	cause := errors.New("interrupted")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, cause)
	defer cancel()
	if _, err := Output(ctx, "run"); !errors.Is(err, cause) {
		t.Errorf("Output = %v, want the cause", err)
	}
}

func TestPing(t *testing.T) {
	for _, test := range []struct {
		script string
		want   Server
		err    error
	}{
		{"echo x86_64 2", Server{Arch: "amd64", CgroupVersion: "2"}, nil},
		{"echo aarch64 1", Server{Arch: "arm64", CgroupVersion: "1"}, nil},
		{"echo riscv64 2", Server{Arch: "riscv64", CgroupVersion: "2"}, nil},
		{"echo 'Cannot connect' >&2; exit 1", Server{}, ErrNoEngine},
		{"echo 'dial unix /var/run/docker.sock: connect: permission denied' >&2; exit 1", Server{}, ErrDenied},
		// A client without a server prints this before it fails; some clients print only this.
		{"echo ' '", Server{}, ErrNoEngine},
	} {
		stub(t, test.script)
		got, err := Ping(t.Context())
		if !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.script, err, test.err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.script, diff)
		}
	}
}
