package receipts_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

var update = flag.Bool("update", false, "write testdata/vectors anew")

// vectorDir holds the vectors, one a file: see receiptstest.Vector.
const vectorDir = "testdata/vectors"

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
	for range 3 { // the order of a map must not show
		again, err := v.Decide()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Errorf("decided otherwise the second time:\n%s", diff)
		}
	}
	got := receiptstest.Expectation{Promote: d.Promote, Reasons: codes(d), Refused: map[string]receipts.Code{}}
	for _, input := range d.Inputs {
		if input.Code != "" {
			got.Refused[input.Name] = input.Code
		}
	}
	if got.Reasons == nil {
		got.Reasons = []receipts.Code{}
	}
	if diff := cmp.Diff(v.Expect, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%+v\n%+v", v.Description, diff, d.Reasons, d.Inputs)
	}
}

// The files are what the tables of these tests make: signatures are deterministic.
func TestVectorFilesAreCurrent(t *testing.T) {
	made := map[string]bool{}
	for _, v := range allVectors(t) {
		path := filepath.Join(vectorDir, filepath.FromSlash(v.name)+".json")
		if made[path] {
			t.Fatalf("two vectors are called %s", v.name)
		}
		made[path] = true
		want := v.file(t)
		if *update {
			writeVector(t, path, want)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current: run go test ./receipts -run TestVectorFilesAreCurrent -update", path)
		}
	}
	err := filepath.WalkDir(vectorDir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" && !made[path] {
			t.Errorf("%s is made by no table", path)
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
