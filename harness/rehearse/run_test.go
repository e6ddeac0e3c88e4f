package rehearse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const image = "registry:5000/game@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func newRun(t *testing.T, dir string) (*Run, dsse.Key, error) {
	t.Helper()
	signer, err := dsse.GenerateKey(dsse.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	run, err := NewRun(RunConfig{
		Dir: dir, ID: "run", Architecture: "amd64", Signer: signer,
		Updates: []Update{{Scenario: "bad-image/unpullable", Candidate: Image{Ref: image}}},
	})
	return run, key, err
}

// closeRun closes a run and returns the cells of its manifest.
func closeRun(t *testing.T, run *Run, key dsse.Key) []statement.Cell {
	t.Helper()
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(run.Dir, statement.ManifestFile(run.Architecture)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := attestation.Open(raw, []dsse.Key{key}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return document.Manifest.Cells
}

// NewRun and Rehearse refuse what a manifest cannot name before they spend minutes on it.
func TestRunsRefused(t *testing.T) {
	t.Parallel()
	signer, err := dsse.GenerateKey(dsse.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	good := func() RunConfig {
		return RunConfig{Dir: t.TempDir(), ID: "run", Architecture: "amd64", Signer: signer, Updates: []Update{{Scenario: "update", Candidate: Image{Ref: image}}}}
	}
	for name, tt := range map[string]struct {
		spoil func(*RunConfig)
		want  string
	}{
		"no id":             {func(c *RunConfig) { c.ID = "" }, "want an id"},
		"no signer":         {func(c *RunConfig) { c.Signer = nil }, "a signer"},
		"no update":         {func(c *RunConfig) { c.Updates = nil }, "at least one update"},
		"a scenario twice":  {func(c *RunConfig) { c.Updates = append(c.Updates, c.Updates[0]) }, "scenario update twice"},
		"candidate by tag":  {func(c *RunConfig) { c.Updates[0].Candidate.Ref = "registry/game:latest" }, `candidate "registry/game:latest" is not a reference by digest`},
		"candidate missing": {func(c *RunConfig) { c.Updates[0].Candidate.Ref = "" }, "is not a reference by digest"},
	} {
		config := good()
		tt.spoil(&config)
		if _, err := NewRun(config); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	run, err := NewRun(good())
	if err != nil {
		t.Fatal(err)
	}
	for name, update := range map[string]Update{
		"another scenario":  {Scenario: "restore-required", Candidate: Image{Ref: image}},
		"another candidate": {Scenario: "update", Candidate: Image{Ref: strings.ReplaceAll(image, "aaaa", "bbbb")}},
	} {
		if _, err := new(Fleet).Rehearse(t.Context(), run, update); err == nil || !strings.Contains(err.Error(), "is not part of run run") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManifestNamesAnUpdateThatWasNotPlayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, key, err := newRun(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	cells := closeRun(t, run, key)
	want := []statement.Cell{{
		Architecture: "amd64",
		Scenario:     "bad-image/unpullable",
		Candidate:    strings.TrimPrefix(image, "registry:5000/game@"),
		File:         "bad-image-unpullable.amd64.intoto.json",
	}}
	if diff := cmp.Diff(want, cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestRunsDoNotMix(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, _, err := newRun(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := newRun(t, dir); err == nil || !strings.Contains(err.Error(), "earlier run") {
		t.Errorf("a second run in the same directory: %v", err)
	}
}

// The manifest names a candidate that could not be installed like any other, because the other receipts depend on the
// manifest.
func TestManifestOfACandidateThatWasNotInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, key, err := newRun(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	receipt := statement.Receipt{
		Run:         statement.Run{ID: "run", Scenario: "bad-image/unpullable"},
		Environment: statement.Environment{Architecture: "amd64"},
		Fault:       &statement.Fault{Class: statement.FaultInterrupted, Step: "install", Message: "context canceled"},
	}
	if _, err := run.add(receipt); err != nil {
		t.Fatal(err)
	}
	cells := closeRun(t, run, key)
	if cell := cells[0]; cell.Candidate != statement.ImageDigest(image) || cell.Receipt == "" {
		t.Errorf("cell %+v", cell)
	}
	if got := (Image{Name: "n", Ref: image, Fixture: true}).revision(); got.Digest != statement.ImageDigest(image) || got.Name != "n" || !got.Fixture {
		t.Errorf("before it is installed the candidate is known as %+v", got)
	}
}
