package tree_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

func plant(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range map[string]string{
		"rehearsal.marker": "0123456789abcdef\n", "world/level.dat": "level", "world/region/r.0.0.mca": "region",
		"world/session.lock": "\u2603", "empty": "",
	} {
		write(t, filepath.Join(dir, path), content)
	}
	if err := os.Mkdir(filepath.Join(dir, "hollow"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func hash(t *testing.T, dir string, exclude ...string) tree.Manifest {
	t.Helper()
	m, err := tree.Hash(t.Context(), dir, exclude...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAnyName: a volume's names are arbitrary bytes. They stay distinct, survive JSON, and print without side effects.
func TestAnyName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"bad\xff/f\xfe", "bad\xff/f\xfd", `"quoted"`, "line\nforged\x1b[31m", "plain"}
	for _, name := range names {
		write(t, filepath.Join(dir, name), name)
	}
	if err := os.Symlink("to\xff", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	m := hash(t, dir)
	if m.Files != len(names) {
		t.Errorf("%d files, want %d", m.Files, len(names))
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back tree.Manifest
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, back); diff != "" || back.Check() != nil {
		t.Errorf("through JSON (-before +after):\n%s\n%v", diff, back.Check())
	}
	write(t, filepath.Join(dir, "line\nforged\x1b[31m"), "changed")
	write(t, filepath.Join(dir, "bad\xff/f\xfe"), "changed")
	want := `trees differ: changed "bad\xff/f\xfe", changed "line\nforged\x1b[31m"`
	if err := tree.Compare(m, hash(t, dir)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestManifestThatIsNotItsDigest(t *testing.T) {
	t.Parallel()
	m := hash(t, plant(t))
	m.Entries = m.Entries[1:]
	if err := m.Check(); err == nil {
		t.Error("a manifest without its first entry passes Check")
	}
}

// TestDigest pins the digest: signed receipts must stay comparable.
func TestDigest(t *testing.T) {
	t.Parallel()
	m := hash(t, plant(t))
	const want = "sha256:7bf8c6ca1fd28af72cb7412bca0e73f291dd572ea0c15671ea858bc3bb67609e"
	if m.Digest != want || m.Files != 5 || m.Bytes != 31 || len(m.Entries) != 8 {
		t.Errorf("got %s of %d files, %d bytes, %d entries, want %s", m.Digest, m.Files, m.Bytes, len(m.Entries), want)
	}
}

// TestChangesAreNamed: each change gives another digest and an error that names its path.
func TestChangesAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(dir string) error
		want   string
	}{
		{"byte changed", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "world/level.dat"), []byte("lever"), 0o644)
		}, "changed world/level.dat"},
		{"file added", func(dir string) error { return os.WriteFile(filepath.Join(dir, "world/new"), nil, 0o644) }, "added world/new"},
		{"file removed", func(dir string) error { return os.Remove(filepath.Join(dir, "empty")) }, "removed empty"},
		{"file renamed", func(dir string) error { return os.Rename(filepath.Join(dir, "empty"), filepath.Join(dir, "void")) }, "added void, removed empty"},
		{"empty directory removed", func(dir string) error { return os.Remove(filepath.Join(dir, "hollow")) }, "removed hollow"},
		{"file became a link", func(dir string) error {
			path := filepath.Join(dir, "empty")
			return errors.Join(os.Remove(path), os.Symlink("world/level.dat", path))
		}, "changed empty"},
		{"file became a directory", func(dir string) error {
			path := filepath.Join(dir, "empty")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		}, "changed empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := plant(t)
			before := hash(t, dir)
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			err := tree.Compare(before, hash(t, dir))
			if !errors.Is(err, tree.ErrChanged) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestWhatDoesNotCount: a restore may change modes and times.
func TestWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	dir := plant(t)
	before := hash(t, dir)
	path := filepath.Join(dir, "world/level.dat")
	if err := errors.Join(os.Chmod(path, 0o600), os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	if err := tree.Compare(before, hash(t, dir)); err != nil {
		t.Error(err)
	}
}

func TestExclusions(t *testing.T) {
	t.Parallel()
	dir := plant(t)
	all, some := hash(t, dir), hash(t, dir, "world/session.lock", "hollow")
	if all.Digest == some.Digest || len(some.Entries) != len(all.Entries)-2 {
		t.Errorf("excluded nothing: %+v", some)
	}
	if len(some.Excluded) != 2 || some.Excluded[0] != "hollow" {
		t.Errorf("exclusions are listed as %q", some.Excluded)
	}
	// A pattern that matches nothing still changes the digest.
	if same := hash(t, dir, "nowhere"); same.Digest == all.Digest {
		t.Error("the digest does not depend on the exclude patterns")
	}
	if whole := hash(t, dir, "world"); len(whole.Entries) != 3 {
		t.Errorf("excluded directory leaves %+v", whole.Entries)
	}
	if _, err := tree.Hash(t.Context(), dir, "["); err == nil {
		t.Error("a broken pattern was accepted")
	}
}

func TestOddFiles(t *testing.T) {
	t.Parallel()
	dir := plant(t)
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := errors.Join(
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644),
		os.Symlink("/etc", filepath.Join(dir, "link out")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		os.WriteFile(filepath.Join(dir, "new\nline"), nil, 0o644),
	); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, e := range hash(t, dir).Entries {
		kinds[e.Path] = e.Kind
	}
	for path, want := range map[string]string{
		"socket": tree.KindOther, "pipe": tree.KindOther, "link out": tree.KindLink, "loop": tree.KindLink, "new\nline": tree.KindFile,
	} {
		if kinds[path] != want {
			t.Errorf("%q is a %q, want %q", path, kinds[path], want)
		}
	}
}

// TestLimits: a volume's content does not decide how long reading takes.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := plant(t) // 31 bytes in 8 entries
	for name, test := range map[string]struct {
		limits tree.Limits
		ok     bool
	}{
		"enough":           {tree.Limits{Entries: 8, Bytes: 31}, true},
		"the default":      {tree.Limits{}, true},
		"one entry short":  {tree.Limits{Entries: 7}, false},
		"one byte short":   {tree.Limits{Bytes: 30}, false},
		"the largest file": {tree.Limits{Bytes: 1}, false},
	} {
		_, err := tree.HashWithin(t.Context(), dir, test.limits)
		if (err == nil) != test.ok || (err != nil && !errors.Is(err, tree.ErrLimit)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestHugeHole: a sparse file costs nothing to create, and would take an hour to read.
func TestHugeHole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "hole")
	write(t, path, "")
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := tree.Hash(ctx, dir); !errors.Is(err, tree.ErrLimit) {
		t.Errorf("got %v, want %v", err, tree.ErrLimit)
	}
}

func TestHashRefuses(t *testing.T) {
	t.Parallel()
	if _, err := tree.Hash(t.Context(), filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Hash(ctx, plant(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
