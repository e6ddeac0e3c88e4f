package rehearse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
)

const image = "registry:5000/game@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func newRun(t *testing.T, dir string) (*Run, receipts.Key, error) {
	t.Helper()
	signer, err := receipts.GenerateKey(receipts.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	key, err := receipts.NewKey(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	run, err := NewRun(RunConfig{
		Dir: dir, ID: "run", Architecture: "amd64", Signer: signer,
		Updates: []Update{{Scenario: "bad-image/unpullable", Candidate: Image{Ref: image}}},
	})
	return run, key, err
}

func TestManifestNamesACaseThatWasNotPlayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, key, err := newRun(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "manifest.amd64.intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := receipts.Open(raw, []receipts.Key{key}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []receipts.Cell{{
		Architecture: "amd64",
		Scenario:     "bad-image/unpullable",
		Candidate:    strings.TrimPrefix(image, "registry:5000/game@"),
		File:         "bad-image-unpullable.amd64.intoto.json",
	}}
	if diff := cmp.Diff(want, document.Manifest.Cells); diff != "" {
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

func TestReceiptOfAnotherScenarioIsRefused(t *testing.T) {
	t.Parallel()
	run, _, err := newRun(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	receipt := receipts.Receipt{Run: receipts.Run{Scenario: "format-changing"}, Environment: receipts.Environment{Architecture: "amd64"}}
	if _, err := run.add(receipt); err == nil || !strings.Contains(err.Error(), "not part of the run") {
		t.Errorf("got %v", err)
	}
}
