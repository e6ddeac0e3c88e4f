package gate_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

var update = flag.Bool("update", false, "write testdata/vectors anew")

// vectorDir holds the vectors, one a file: see receiptstest.Vector.
const vectorDir = "../testdata/vectors"

func TestVectors(t *testing.T) {
	t.Parallel()
	vectors, err := receiptstest.Vectors(vectorDir)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 100 {
		t.Errorf("%d vectors: some are missing", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			checkVector(t, v)
		})
	}
}

func checkVector(t *testing.T, v receiptstest.Vector) {
	t.Helper()
	d, err := v.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // the iteration order of maps must not show
		again, err := v.Decide()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Errorf("the second decision differs:\n%s", diff)
		}
	}
	got := receiptstest.Expectation{Promote: d.Promote, Reasons: codes(d), Refused: map[string]refusal.Code{}}
	for _, input := range d.Inputs {
		if input.Code != "" {
			got.Refused[input.Name] = input.Code
		}
	}
	if got.Reasons == nil {
		got.Reasons = []refusal.Code{}
	}
	if diff := cmp.Diff(v.Expect, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%+v\n%+v", v.Description, diff, d.Reasons, d.Inputs)
	}
}

// Removing an input of a held vector never promotes it as long as another counting input is tied to the removed one: see
// Decide.
func TestVectorsWithoutAnInput(t *testing.T) {
	t.Parallel()
	vectors, err := receiptstest.Vectors(vectorDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		whole, err := v.Decide()
		if err != nil || whole.Promote {
			continue
		}
		for i, removed := range v.Inputs {
			rest := v
			rest.Inputs = slices.Delete(slices.Clone(v.Inputs), i, i+1)
			d, err := rest.Decide()
			if err != nil {
				t.Fatal(err)
			}
			if d.Promote && isTied(d, rest, removed) {
				t.Errorf("%s: promoted without %s; before:\n%+v", v.Name, removed.Name, whole.Reasons)
			}
		}
	}
}

// isTied says whether a counting document names the removed one, or whether the removed one is the only manifest that names
// a counting document.
func isTied(d gate.Decision, v receiptstest.Vector, removed receiptstest.VectorInput) bool {
	gone, err := attestation.ReadUnverified(removed.Raw())
	if err != nil {
		return false
	}
	names := func(m, r *attestation.Document) bool {
		return m.Manifest != nil && r.Receipt != nil && slices.ContainsFunc(m.Manifest.Cells, func(c statement.Cell) bool {
			return c.Receipt == r.Digest && len(m.Manifest.Mismatches(c, r.Receipt.Header())) == 0
		})
	}
	taken := make(map[string]bool)
	for _, input := range d.Inputs {
		taken[input.Digest] = input.Code == ""
	}
	tied, replaced := false, false
	for _, input := range v.Inputs {
		document, err := attestation.ReadUnverified(input.Raw())
		if err != nil || !taken[document.Digest] {
			continue
		}
		tied = tied || names(document, gone) || names(gone, document)
		replaced = replaced || gone.Manifest != nil && document.Manifest != nil && document.Manifest.Run == gone.Manifest.Run
	}
	return tied && !replaced
}

// The tables of these tests make the files. Signatures are deterministic.
func TestVectorFilesAreCurrent(t *testing.T) {
	made := map[string]bool{}
	for _, v := range allVectors(t) {
		path := filepath.Join(vectorDir, filepath.FromSlash(v.name)+".json")
		if made[path] {
			t.Fatalf("two vectors have the name %s", v.name)
		}
		made[path] = true
		want := v.file(t)
		if *update {
			writeVector(t, path, want)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current: run go test ./receipts/gate -run TestVectorFilesAreCurrent -args -update", path)
		}
	}
	err := filepath.WalkDir(vectorDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" && !made[path] {
			t.Errorf("no table makes %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func writeVector(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
