package rundir_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

// repeated is a text over and over, up to a number of bytes.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(r.text) <= len(p) && n < r.left {
		n += copy(p[n:], r.text)
	}
	r.left -= n
	return n, nil
}

// A GiB on standard input must not claim memory, in one line or in many. Not parallel: it measures.
func TestStandardInputIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		text    string
		size    int
		largest int
	}{
		"one line":    {strings.Repeat("x", 4096), 1 << 30, dsse.MaxEnvelope + 1},
		"long lines":  {strings.Repeat("x", 1<<15-1) + "\n", 1 << 30, 1<<15 - 1},
		"short lines": {"x\n", 1 << 20, 1},
		"empty lines": {strings.Repeat("\n", 4096), 1 << 20, 0},
	} {
		source := &rundir.Source{Paths: []string{"-"}, Stdin: &repeated{tt.text, tt.size}}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		largest, peak := 0, uint64(0)
		count := 0
		for input := range source.All {
			largest = max(largest, len(input.Raw))
			if count++; count%4096 == 1 {
				runtime.ReadMemStats(&after)
				peak = max(peak, after.HeapAlloc)
			}
		}
		if source.Err() != nil || largest != tt.largest {
			t.Errorf("%s: the largest input has %d bytes, want %d: %v", name, largest, tt.largest, source.Err())
		}
		if used := max(peak, before.HeapAlloc) - before.HeapAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB claimed", name, used>>20)
		}
	}
}

// A source hands out the documents of files, directories and bundles with the directory that each lies in.
func TestSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.intoto.json": "a", "b.intoto.jsonl.txt": "b", "c.intoto.jsonl": "c\n\nd\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	source := &rundir.Source{Paths: []string{path("a.intoto.json"), path("c.intoto.jsonl"), "-"}, Stdin: strings.NewReader("e")}
	var got []string
	for d := range source.Documents {
		got = append(got, strings.Join([]string{strings.TrimPrefix(d.Name, dir+"/"), string(d.Raw), strings.Replace(d.Dir, dir, "dir", 1)}, " "))
	}
	want := []string{"a.intoto.json a dir", "c.intoto.jsonl:1 c dir", "c.intoto.jsonl:3 d dir", "standard input:1 e "}
	if diff := cmp.Diff(want, got); diff != "" || source.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", source.Err(), diff)
	}
	source = &rundir.Source{Paths: []string{path("none"), path("a.intoto.json")}}
	for d := range source.All {
		t.Errorf("%s is handed out after what could not be read", d.Name)
	}
	if !errors.Is(source.Err(), os.ErrNotExist) {
		t.Error(source.Err())
	}
}
