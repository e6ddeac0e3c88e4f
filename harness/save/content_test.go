package save_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/GameplanePanel/rehearsal/harness/save"
	"github.com/GameplanePanel/rehearsal/harness/save/tag"
	"github.com/GameplanePanel/rehearsal/harness/save/tree"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const regionFile = "world/region/r.0.0.mca"

// TestBrokenWorldIsObserved: if a candidate ruins its save, everything else is still observed.
func TestBrokenWorldIsObserved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ruin func(t *testing.T, dir string)
		want string // start of the world's error; "" for no world at all
	}{
		"level.dat of noise": {func(t *testing.T, dir string) { put(t, dir, "world/level.dat", []byte("noise")) }, "level.dat: malformed NBT: "},
		"long format marker": {func(t *testing.T, dir string) { put(t, dir, "world/format.marker", bytes.Repeat([]byte("☃"), 1000)) }, "format.marker: malformed"},
		"level.dat is a link out": {func(t *testing.T, dir string) {
			replace(t, dir, "world/level.dat", func(path string) error { return os.Symlink("/etc/passwd", path) })
		}, "openat level.dat: "},
		"level.dat is a link to itself": {func(t *testing.T, dir string) {
			replace(t, dir, "world/level.dat", func(path string) error { return os.Symlink("level.dat", path) })
		}, "openat level.dat: "},
		"level.dat is a pipe": {func(t *testing.T, dir string) {
			replace(t, dir, "world/level.dat", func(path string) error { return syscall.Mkfifo(path, 0o644) })
		}, "level.dat: malformed NBT: not a regular file"},
		"world is a link out": {func(t *testing.T, dir string) {
			elsewhere := t.TempDir()
			put(t, elsewhere, "level.dat", level(t))
			replace(t, dir, "world", func(path string) error { return os.Symlink(elsewhere, path) })
		}, "world: path escapes"},
		"world is a file": {func(t *testing.T, dir string) {
			replace(t, dir, "world", func(path string) error { return os.WriteFile(path, nil, 0o644) })
		}, "world: not a directory"},
		"world is gone": {func(t *testing.T, dir string) {
			replace(t, dir, "world", func(string) error { return nil })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, "world/level.dat", level(t))
			put(t, dir, save.MarkerFile, []byte("0123"))
			test.ruin(t, dir)
			o, err := save.Observe(t.Context(), map[string]string{statement.Primary: dir})
			if err != nil {
				t.Fatal(err)
			}
			if o.World != nil || !strings.HasPrefix(o.WorldError, test.want) || (test.want == "") != (o.WorldError == "") {
				t.Errorf("world %+v, error %q, want the error to begin with %q", o.World, o.WorldError, test.want)
			}
			if claim := o.Claims[0]; claim.Marker != "0123" || claim.Tree == "" || claim.Error != "" {
				t.Errorf("claim %+v", claim)
			}
		})
	}
}

func replace(t *testing.T, dir, path string, by func(path string) error) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := by(path); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenClaimIsObserved: unreadable content of one claim does not affect the others.
func TestBrokenClaimIsObserved(t *testing.T) {
	t.Parallel()
	hole := func(t *testing.T, dir string) {
		put(t, dir, strings.Repeat("☃", 80)+"\n", nil)
		if err := os.Truncate(filepath.Join(dir, strings.Repeat("☃", 80)+"\n"), 1<<40); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		plant      func(t *testing.T, dir string)
		want       string
		tree, mark bool
	}{
		"hole of a terabyte": {hole, "over the limit", false, true},
		"marker of two lines": {func(t *testing.T, dir string) {
			put(t, dir, save.MarkerFile, []byte("0123\n4567"))
		}, "not one line", true, false},
		"marker is a directory": {func(t *testing.T, dir string) {
			replace(t, dir, save.MarkerFile, func(path string) error { return os.Mkdir(path, 0o755) })
		}, "not a regular file", true, false},
		"marker is a link out": {func(t *testing.T, dir string) {
			replace(t, dir, save.MarkerFile, func(path string) error { return os.Symlink("/etc/hostname", path) })
		}, "escapes", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken, whole := t.TempDir(), t.TempDir()
			put(t, broken, save.MarkerFile, []byte("0123"))
			put(t, whole, save.MarkerFile, []byte("4567"))
			test.plant(t, broken)
			o, err := save.ObserveMounts(t.Context(), []save.Mount{{Role: "extra", Dir: broken}, {Role: "extra", Dir: whole}}, tree.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got := o.Claims[0]
			if !strings.Contains(got.Error, test.want) || (got.Tree != "") != test.tree || (got.Marker != "") != test.mark {
				t.Errorf("claim %+v", got)
			}
			if len(got.Error) > statement.MaxMessage || !utf8.ValidString(got.Error) || strings.ContainsRune(got.Error, '\n') {
				t.Errorf("error %q is not one line of at most %d bytes", got.Error, statement.MaxMessage)
			}
			if next := o.Claims[1]; next.Marker != "4567" || next.Tree == "" || next.Error != "" {
				t.Errorf("the next claim: %+v", next)
			}
		})
	}
}

// TestUnknownChunks: real worlds have LZ4, chunks in separate files and chunks of old versions, which this package
// cannot read.
func TestUnknownChunks(t *testing.T) {
	t.Parallel()
	chunk := func(content tag.Compound) []byte {
		data, err := tag.Encode(content)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte{0, 0, 0, byte(1 + len(data)), 3}, data...)
	}
	known := chunk(tag.Compound{"DataVersion": int32(3578)})
	for name, test := range map[string]struct {
		chunk []byte
		want  save.Chunks
	}{
		"known":                {known, save.Chunks{Count: 1, Oldest: 3578, Newest: 3578}},
		"before 1.9":           {chunk(tag.Compound{"Level": tag.Compound{"xPos": int32(0)}}), save.Chunks{Count: 1, Unread: 1}},
		"lz4":                  {[]byte{0, 0, 0, 2, 4, 0}, save.Chunks{Count: 1, Unread: 1}},
		"custom compression":   {[]byte{0, 0, 0, 2, 127, 0}, save.Chunks{Count: 1, Unread: 1}},
		"external, zlib in it": {[]byte{0, 0, 0, 1, 128 + 2}, save.Chunks{Count: 1, Unread: 1}},
		"external, lz4 in it":  {[]byte{0, 0, 0, 1, 128 + 4}, save.Chunks{Count: 1, Unread: 1}},
	} {
		dir := t.TempDir()
		put(t, dir, "world/level.dat", level(t))
		put(t, dir, regionFile, region(test.chunk))
		o, err := save.Observe(t.Context(), map[string]string{statement.Primary: dir})
		if err != nil || o.World == nil || o.World.Chunks != test.want {
			t.Errorf("%s: got %+v, %v, want chunks %+v", name, o, err, test.want)
		}
	}
	// An unreadable chunk does not count for Oldest.
	dir := t.TempDir()
	put(t, dir, "world/level.dat", level(t))
	put(t, dir, regionFile, region([]byte{0, 0, 0, 2, 4, 0}))
	put(t, dir, "world/region/r.0.1.mca", region(known))
	w, err := save.Read(t.Context(), filepath.Join(dir, "world"))
	if want := (save.Chunks{Count: 2, Oldest: 3578, Newest: 3578, Unread: 1}); err != nil || w.Chunks != want {
		t.Errorf("got %+v, %v, want %+v", w.Chunks, err, want)
	}
}
