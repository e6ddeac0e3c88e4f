package backup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/backup"
)

// restic is the program itself, built once, with a repository and one snapshot of a directory.
type restic struct {
	program, repo, data, snapshot string
	password                      string
}

func newRestic(t *testing.T, program string) restic {
	t.Helper()
	dir := t.TempDir()
	r := restic{program: program, repo: filepath.Join(dir, "repo"), data: filepath.Join(dir, "data"), password: "correct horse"}
	if err := os.Mkdir(r.data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.data, "level.dat"), bytes.Repeat([]byte("world "), 100_000), 0o644); err != nil {
		t.Fatal(err)
	}
	r.must(t, "init")
	r.must(t, "backup", r.data)
	var snapshots []struct{ ID string }
	if err := json.Unmarshal([]byte(r.must(t, "snapshots", "--json")), &snapshots); err != nil || len(snapshots) != 1 {
		t.Fatalf("%v, %v", snapshots, err)
	}
	r.snapshot = snapshots[0].ID
	return r
}

func buildRestic(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "restic")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/restic/restic/cmd/restic")
	build.Dir = "tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// patience is how long a command may take. restic itself tries an unreachable repository for a quarter of an hour.
const patience = 10 * time.Second

func (r restic) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, r.program, args...)
	command.Env = append(os.Environ(), "RESTIC_REPOSITORY="+r.repo, "RESTIC_PASSWORD="+r.password, "RESTIC_CACHE_DIR="+t.TempDir())
	out, err := command.CombinedOutput()
	return string(out), err
}

func (r restic) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := r.run(t, args...)
	if err != nil {
		t.Fatalf("restic %v: %v: %s", args, err, out)
	}
	return out
}

// Each cause is produced for real, and named by what restic really prints.
func TestCausesOfRealFailures(t *testing.T) {
	t.Parallel()
	program := buildRestic(t)
	for want, produce := range map[backup.Cause]func(t *testing.T, r *restic) []string{
		backup.WrongPassword: func(_ *testing.T, r *restic) []string {
			r.password = "battery staple"
			return []string{"restore", r.snapshot, "--target"}
		},
		backup.SnapshotMissing: func(t *testing.T, r *restic) []string {
			r.must(t, "forget", r.snapshot)
			return []string{"restore", r.snapshot, "--target"}
		},
		backup.DamagedPack: func(t *testing.T, r *restic) []string {
			damage(t, filepath.Join(r.repo, "data"))
			return []string{"restore", r.snapshot, "--target"}
		},
		backup.Locked: func(t *testing.T, r *restic) []string {
			lock(t, r)
			return []string{"prune", "--repack-cacheable-only"}
		},
		backup.Unreachable: func(t *testing.T, r *restic) []string {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			r.repo = "rest:http://" + listener.Addr().String() + "/"
			listener.Close()
			return []string{"cat", "config"}
		},
		backup.NoRepository: func(t *testing.T, r *restic) []string {
			r.repo = t.TempDir()
			return []string{"restore", r.snapshot, "--target"}
		},
	} {
		t.Run(string(want), func(t *testing.T) {
			r := newRestic(t, program)
			args := produce(t, &r)
			if args[len(args)-1] == "--target" {
				args = append(args, t.TempDir())
			}
			out, err := r.run(t, args...)
			if err == nil {
				t.Fatalf("restic %v succeeded: %s", args, out)
			}
			if got := backup.CauseOf(out); got != want {
				t.Errorf("%q is named %q", out, got)
			}
			if want.Advice() == "" {
				t.Error("nobody learns what to do")
			}
		})
	}
}

func TestCauseOfOtherWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]backup.Cause{
		"":                                       "",
		"quiesce failed: no answer":              "",
		"write /data/x: no space left on device": backup.DiskFull,
		"Fatal: create repository at rest:http://… failed: config file already exists (the repository's password may be wrong, or it is locked)": backup.WrongPassword,
	} {
		if got := backup.CauseOf(words); got != want {
			t.Errorf("%q is named %q, want %q", words, got, want)
		}
	}
}

// damage flips bytes in the middle of every pack.
func damage(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i := len(text) / 4; i < len(text)/2; i++ {
			text[i] ^= 0xff
		}
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lock leaves the lock of another restic at work: one that reads its standard input, which does not end.
func lock(t *testing.T, r *restic) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), r.program, "backup", "--stdin")
	command.Env = append(os.Environ(), "RESTIC_REPOSITORY="+r.repo, "RESTIC_PASSWORD="+r.password, "RESTIC_CACHE_DIR="+t.TempDir())
	command.Stdin = reader
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		writer.Close()
		reader.Close()
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	waitForFile(t, filepath.Join(r.repo, "locks"))
}

// waitForFile returns when a directory holds a file.
func waitForFile(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) > 0 {
			return
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("%s stays empty", dir)
		}
	}
}
