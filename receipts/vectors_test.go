package receipts_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
)

var update = flag.Bool("update", false, "write testdata/vectors anew")

// vectorDir holds the vectors: one decision a file, with what must come of it. docs/receipt-format.md describes them,
// so that other implementations can be held against them.
const vectorDir = "testdata/vectors"

// vectorFile is a vector as it is written.
type vectorFile struct {
	Description string            `json:"description"`
	Origin      string            `json:"origin,omitempty"` // where somebody else's gate was fooled like this
	Policy      receipts.Policy   `json:"policy"`
	Keys        []string          `json:"keys"` // PEM of the keys that sign receipts, beside those of the policy
	Question    receipts.Question `json:"question"`
	Now         time.Time         `json:"now"`
	Inputs      []vectorInput     `json:"inputs"`
	Expect      expectation       `json:"expect"`
}

// vectorInput is an envelope: as text, or in base64 where it is none.
type vectorInput struct {
	Name   string `json:"name"`
	Text   string `json:"text,omitempty"`
	Binary []byte `json:"binary,omitempty"`
}

// expectation is all that a decision must come to.
type expectation struct {
	Promote bool                     `json:"promote"`
	Reasons []receipts.Code          `json:"reasons"` // in order, each once
	Refused map[string]receipts.Code `json:"refused"` // by the name of the input
}

func TestVectors(t *testing.T) {
	t.Parallel()
	count := 0
	err := filepath.WalkDir(vectorDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		count++
		t.Run(strings.TrimSuffix(filepath.ToSlash(path[len(vectorDir)+1:]), ".json"), func(t *testing.T) {
			t.Parallel()
			checkVector(t, readVector(t, path))
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 100 {
		t.Errorf("%d vectors: some are missing", count)
	}
}

func readVector(t *testing.T, path string) vectorFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var v vectorFile
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

func checkVector(t *testing.T, v vectorFile) {
	t.Helper()
	var keys []receipts.Key
	for _, text := range v.Keys {
		key, err := receipts.ParseKey([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	trusted, err := receipts.TrustOf(v.Policy, keys...)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []receipts.Input
	for _, input := range v.Inputs {
		inputs = append(inputs, receipts.Input{Name: input.Name, Raw: append([]byte(input.Text), input.Binary...)})
	}
	d := receipts.Decide(v.Policy, trusted, v.Question, slices.Values(inputs), v.Now)
	got := expectation{Promote: d.Promote, Reasons: codes(d), Refused: map[string]receipts.Code{}}
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
