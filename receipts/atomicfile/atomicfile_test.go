package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "marker")
	for _, content := range []string{"first", "second", ""} {
		if err := atomicfile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestSameContentIsNotTouched(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "marker")
	long := time.Unix(1, 0)
	if err := errors.Join(os.WriteFile(path, []byte("same"), 0o644), os.Chtimes(path, long, long)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("same")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("written again at %v, %v", info.ModTime(), err)
	}
}

// Write replaces a link. If it followed links, a volume could choose which file is written.
func TestLinkIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "marker")
	if err := errors.Join(os.WriteFile(target, []byte("target"), 0o644), os.Symlink(target, path)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "target" {
		t.Errorf("the link's target holds %q, %v", got, err)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := atomicfile.Write(filepath.Join(dir, "missing", "marker"), []byte("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v", err, os.ErrNotExist)
	}
	path := filepath.Join(dir, "directory")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("x")); err == nil {
		t.Error("a directory was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// SweepFile removes the temporary files of one file and leaves those of others.
func TestSweepFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".marker.1.tmp", ".marker.22.tmp", ".marker2.1.tmp", "marker", "marker.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.SweepFile(filepath.Join(dir, "marker")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string{".marker2.1.tmp", "marker", "marker.tmp"}, names); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestWriteNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.WriteNew(path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteNew(path, []byte("second"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that exists: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("it holds %q, %v", text, err)
	}
	if err := atomicfile.WriteNew(filepath.Join(path, "below"), nil, 0o600); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("below a file: %v", err)
	}
}
