package save_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/save"
	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const worlds = "../../fixtures/worlds"

// TestGoldenWorlds reads the golden world of each game.
func TestGoldenWorlds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"A", "B", "C"} {
		w, err := save.Read(t.Context(), filepath.Join(worlds, name, "data", "world"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(w, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
			t.Errorf("world %s (-want +got):\n%s", name, diff)
		}
	}
}

func observe(t *testing.T, game string) save.Observation {
	t.Helper()
	o, err := save.Observe(t.Context(), map[string]string{
		"primary": filepath.Join(worlds, game, "data"), "extra": filepath.Join(worlds, game, "extra"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestObserve(t *testing.T) {
	t.Parallel()
	o := observe(t, "B")
	if len(o.Claims) != 2 || o.Claims[0].Role != "extra" || o.Claims[1].Role != "primary" || o.World == nil || o.World.FormatMarker != "3955" {
		t.Fatalf("got %+v", o)
	}
	for _, claim := range o.Claims {
		if claim.Marker != "0123456789abcdef" || !strings.HasPrefix(claim.Tree, "sha256:") || claim.Files < 5 || claim.Bytes < 20_000 {
			t.Errorf("got %+v", claim)
		}
	}
}

func TestObserveEmptyClaims(t *testing.T) {
	t.Parallel()
	o, err := save.Observe(t.Context(), map[string]string{"primary": t.TempDir(), "mods": t.TempDir()})
	if err != nil || o.World != nil || len(o.Claims) != 2 || o.Claims[0].Marker != "" || o.Claims[0].Files != 0 {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := save.Observe(t.Context(), map[string]string{"primary": filepath.Join(t.TempDir(), "missing")}); err == nil {
		t.Error("a missing claim was read")
	}
}

func TestLost(t *testing.T) {
	t.Parallel()
	change := func(change func(*save.Observation)) save.Observation {
		o := observe(t, "A")
		change(&o)
		return o
	}
	tests := []struct {
		name  string
		after save.Observation
		want  save.Loss
	}{
		{"nothing", observe(t, "A"), save.LossNone},
		{"rewritten", observe(t, "B"), save.LossFormat},
		{"no world", change(func(o *save.Observation) { o.World = nil }), save.LossWorld},
		{"another world", change(func(o *save.Observation) { o.World.Nonce = "another" }), save.LossWorld},
		{"extra claim emptied", change(func(o *save.Observation) { o.Claims[0].Marker = "" }), save.LossExtra},
		{"primary claim emptied", change(func(o *save.Observation) { o.Claims[1].Marker = "" }), save.LossPrimary},
		{"a chunk", change(func(o *save.Observation) { o.World.Chunks.Count-- }), save.LossChunks},
		{"a player", change(func(o *save.Observation) { o.World.PlayerCount-- }), save.LossPlayers},
		{"extra claim gone", change(func(o *save.Observation) { o.Claims = o.Claims[1:] }), save.LossExtra},
	}
	for _, test := range tests {
		if got := save.Lost(observe(t, "A"), test.after); got != test.want {
			t.Errorf("%s: lost %q, want %q", test.name, got, test.want)
		}
	}
}

// TestChunksOfAllDimensions: chunks count in every dimension.
func TestChunksOfAllDimensions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "level.dat", level(t))
	dirs := []string{"region", "DIM-1/region", "DIM1/region"}
	for _, dimension := range []string{"overworld", "the_nether", "the_end"} {
		dirs = append(dirs, "dimensions/minecraft/"+dimension+"/region")
	}
	for i, regions := range dirs {
		put(t, dir, regions+"/r.0.0.mca", region([]byte{0, 0, 0, 2, 4, 0}))
		if w, err := save.Read(t.Context(), dir); err != nil || w.Chunks.Count != i+1 {
			t.Errorf("with %s: %+v, %v, want %d chunks", regions, w.Chunks, err, i+1)
		}
	}
}

func TestNoWorld(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if _, err := save.Read(t.Context(), dir); !errors.Is(err, save.ErrNoWorld) {
			t.Errorf("got %v, want %v", err, save.ErrNoWorld)
		}
	}
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func level(t testing.TB) []byte {
	t.Helper()
	data, err := tag.Encode(tag.Compound{"Data": tag.Compound{"DataVersion": int32(3578), "unknown": "kept"}})
	if err != nil {
		t.Fatal(err)
	}
	return zipped(t, data)
}

// region returns a region file whose header puts the first chunk at sector 2, one sector long.
func region(chunk []byte) []byte {
	file := make([]byte, 3*4096)
	binary.BigEndian.PutUint32(file, 2<<8|1)
	copy(file[2*4096:], chunk)
	return file
}

// TestHostileFiles: no content of a volume can cause more than an error.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const levelDat = "level.dat"
	tests := []struct {
		name, path string
		data       []byte
	}{
		{"empty level.dat", levelDat, nil},
		{"level.dat of noise", levelDat, bytes.Repeat([]byte("noise"), 100)},
		{"level.dat without Data", levelDat, zipped(t, []byte{10, 0, 0, 0})},
		{"level.dat cut off", levelDat, level(t)[:30]},
		{"level.dat that is a bomb", levelDat, zipped(t, make([]byte, tag.MaxBytes+1))},
		{"format marker of two lines", "format.marker", []byte("a\nb\n")},
		{"endless format marker", "format.marker", bytes.Repeat([]byte("x"), 1000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, levelDat, level(t))
			put(t, dir, test.path, test.data)
			w, err := save.Read(t.Context(), dir)
			if !errors.Is(err, tag.ErrMalformed) {
				t.Fatalf("got %+v, %v, want %v", w, err, tag.ErrMalformed)
			}
			if !strings.Contains(err.Error(), test.path) {
				t.Errorf("error %q does not name %s", err, test.path)
			}
		})
	}
}

// TestDamage: damaged content of an old world is reported and not counted, and the rest is read.
func TestDamage(t *testing.T) {
	t.Parallel()
	const regionFile, player = "region/r.0.0.mca", "playerdata/069a79f4-44e9-4726-a5be-fca90e38aaf5.dat"
	for _, test := range []struct {
		name, path string
		data       []byte
	}{
		{"region cut off", regionFile, make([]byte, 100)},
		{"chunk outside of the file", regionFile, region(nil)[:2*4096]},
		{"chunk without length", regionFile, region(nil)},
		{"chunk of negative length", regionFile, region([]byte{0xff, 0xff, 0xff, 0xff, 2})},
		{"chunk of 2 GB", regionFile, region([]byte{0x7f, 0xff, 0xff, 0xff, 2})},
		{"chunk of no compression", regionFile, region([]byte{0, 0, 0, 2, 0, 0})},
		{"chunk of noise", regionFile, region([]byte{0, 0, 0, 3, 77, 1, 2})},
		{"all chunks cut off", regionFile, func() []byte {
			head := make([]byte, 2*4096)
			for i := range 1024 {
				binary.BigEndian.PutUint32(head[4*i:], uint32(2+i)<<8|1)
			}
			return head
		}()},
		{"chunk that is no zlib", regionFile, region([]byte{0, 0, 0, 4, 2, 1, 2, 3})},
		{"chunk without DataVersion", regionFile, region([]byte{0, 0, 0, 5, 3, 10, 0, 0, 0})},
		{"player of noise", player, []byte("noise")},
		{"player cut off", player, nil},
	} {
		dir := t.TempDir()
		put(t, dir, "level.dat", level(t))
		put(t, dir, test.path, test.data)
		put(t, dir, "region/r.0.1.mca", region([]byte{0, 0, 0, 2, 4, 0}))
		put(t, dir, "playerdata/00000000-0000-4000-a000-000000000001.dat", level(t))
		w, err := save.Read(t.Context(), dir)
		if err != nil || w.Damaged != 1 || w.Chunks.Count != 1 || w.PlayerCount != 1 {
			t.Errorf("%s: %+v, %v, want one chunk, one player and one damaged", test.name, w, err)
		}
	}
}

// TestChunksInTheSameSectors: a thousand chunks in a few kilobytes would take a minute to read. Only the first is read.
func TestChunksInTheSameSectors(t *testing.T) {
	t.Parallel()
	data := region([]byte{0, 0, 0, 2, 4, 0})
	for i := range 1023 {
		copy(data[4*(i+1):], data[:4])
	}
	dir := t.TempDir()
	put(t, dir, "level.dat", level(t))
	put(t, dir, "region/r.0.0.mca", data)
	if w, err := save.Read(t.Context(), dir); err != nil || w.Chunks.Count != 1 || w.Damaged != 1 {
		t.Errorf("got %+v, %v", w, err)
	}
}

// TestOddRegions: a region that is not a regular file counts as a damaged file.
func TestOddRegions(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(path string) error{
		"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"link out": func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		dir := t.TempDir()
		put(t, dir, "level.dat", level(t))
		put(t, dir, "region/r.0.0.mca", region([]byte{0, 0, 0, 2, 4, 0}))
		put(t, dir, "playerdata/00000000-0000-4000-a000-000000000001.dat", level(t))
		for _, path := range []string{"region/r.0.1.mca", "playerdata/00000000-0000-4000-a000-000000000002.dat"} {
			if err := plant(filepath.Join(dir, path)); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := save.Read(t.Context(), dir); err != nil || w.Chunks.Count != 1 || w.PlayerCount != 1 || w.Damaged != 2 {
			t.Errorf("%s: got %+v, %v", name, w, err)
		}
	}
}

// TestManyPlayers: an old server has thousands of players.
func TestManyPlayers(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), level(t)
	put(t, dir, "level.dat", data)
	for i := range 5000 {
		put(t, dir, fmt.Sprintf("playerdata/00000000-0000-4000-a000-%012d.dat", i), data)
	}
	if w, err := save.Read(t.Context(), dir); err != nil || w.PlayerCount != 5000 || len(w.Players) != 1024 {
		t.Errorf("%d players, %d of them listed, %v", w.PlayerCount, len(w.Players), err)
	}
}

func put(t *testing.T, dir, path string, data []byte) {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOddFiles: a pipe must not block the reader, and a link must not lead out of the volume.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "level.dat")
	if err := os.WriteFile(outside, level(t), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"link out":  func(path string) error { return os.Symlink(outside, path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		dir := t.TempDir()
		if err := plant(filepath.Join(dir, "level.dat")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if w, err := save.Read(t.Context(), dir); err == nil {
			t.Errorf("%s: read %+v", name, w)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// TestLevelOld: a crash between two renames leaves only level.dat_old.
func TestLevelOld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "level.dat_old", level(t))
	if w, err := save.Read(t.Context(), dir); err != nil || w.DataVersion != 3578 {
		t.Errorf("got %+v, %v", w, err)
	}
}

// TestRuinedWorld: detecting damage takes time, and a candidate may have caused it.
func TestRuinedWorld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "level.dat", level(t))
	for i := range 300 {
		put(t, dir, fmt.Sprintf("region/r.0.%d.mca", i), make([]byte, 100))
	}
	if w, err := save.Read(t.Context(), dir); !errors.Is(err, tag.ErrMalformed) || !strings.Contains(err.Error(), "more than 256") {
		t.Errorf("got %+v, %v", w, err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w, err := save.Read(ctx, filepath.Join(worlds, "A", "data", "world")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", w, err)
	}
}

// TestSeedSince26: the seed, which identifies a world, is no longer in level.dat.
func TestSeedSince26(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]tag.Compound{
		"in data": {"DataVersion": int32(4774), "data": tag.Compound{"seed": int64(7)}},
		"bare":    {"seed": int64(7)},
	} {
		dir := t.TempDir()
		put(t, dir, "level.dat", packed(t, tag.Compound{"Data": tag.Compound{"DataVersion": int32(4774)}}))
		put(t, dir, "data/minecraft/world_gen_settings.dat", packed(t, settings))
		if w, err := save.Read(t.Context(), dir); err != nil || w.Nonce != "seed:7" {
			t.Errorf("%s: got %+v, %v", name, w, err)
		}
	}
}

// TestSeedBefore116: the seed is older than the settings of world generation, and an upgrade preserves it.
func TestSeedBefore116(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "level.dat", packed(t, tag.Compound{"Data": tag.Compound{"DataVersion": int32(1343), "RandomSeed": int64(7)}}))
	if w, err := save.Read(t.Context(), dir); err != nil || w.Nonce != "seed:7" {
		t.Errorf("got %+v, %v", w, err)
	}
}

func packed(t *testing.T, root tag.Compound) []byte {
	t.Helper()
	data, err := tag.Encode(root)
	if err != nil {
		t.Fatal(err)
	}
	return zipped(t, data)
}

// FuzzReadWorld: a volume with a hostile level.dat and region file is read or refused.
func FuzzReadWorld(f *testing.F) {
	mca, err := os.ReadFile(filepath.Join(worlds, "A", "data", "world", "region", "r.0.0.mca"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(level(f), mca)
	f.Add(level(f), region([]byte{0, 0, 0, 5, 3, 10, 0, 0, 0}))
	f.Fuzz(func(t *testing.T, level, region []byte) {
		dir := t.TempDir()
		put(t, dir, "level.dat", level)
		put(t, dir, "region/r.0.0.mca", region)
		if _, err := save.Read(t.Context(), dir); err != nil && !errors.Is(err, tag.ErrMalformed) {
			t.Errorf("error %v is not %v", err, tag.ErrMalformed)
		}
	})
}
