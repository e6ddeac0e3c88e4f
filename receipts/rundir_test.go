package receipts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// A run that is written into a directory is read from it, and decided on.
func TestRunDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := receipts.Manifest{Run: "run-amd64", Harness: "v1.0.0", StartedAt: receiptstest.Time(), FinishedAt: receiptstest.Time().Add(2 * time.Minute)}
	for _, scenario := range receiptstest.Scenarios() {
		cell, err := receipts.WriteReceipt(dir, receiptstest.Observations(scenario, "amd64"), signer())
		if err != nil {
			t.Fatal(err)
		}
		m.Cells = append(m.Cells, cell)
	}
	digest, err := receipts.WriteManifest(dir, "amd64", m, signer())
	if err != nil || !receipts.IsDigest(digest) {
		t.Fatalf("%q, %v", digest, err)
	}
	update := receiptstest.Observations(receipts.ScenarioRestoreRequired, "amd64")
	if err := receipts.WriteTestResult(dir, update, m.Cells[len(m.Cells)-1], signer()); err != nil {
		t.Fatal(err)
	}
	journal := openJournal(t, filepath.Join(dir, receipts.JournalFile(receipts.ScenarioUnpullable, "amd64")))
	appendAll(t, journal, entry(receipts.EntryBaseline, "a"))

	names := func(entries []os.DirEntry, err error) []string {
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}(os.ReadDir(dir))
	want := []string{
		"bad-image-http-only.amd64.intoto.json", "bad-image-unpullable.amd64.intoto.json", "bad-image-unpullable.amd64.journal.jsonl",
		"compatible-rollback.amd64.intoto.json", "format-changing.amd64.intoto.json", "manifest.amd64.intoto.json",
		"rehearsal.pub", "restore-required.amd64.intoto.json", "restore-required.amd64.test-result.intoto.json",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files:\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(dir, receipts.PublicKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if key, err := receipts.ParseKey(text); err != nil || key.ID() != receiptstest.Public(signer()).ID() {
		t.Errorf("public key: %v", err)
	}
	inputs, err := receipts.ReadInputs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := decide(t, suitePolicy(), candidateOf(receipts.ScenarioCompatibleRollback), inputs); !d.Promote {
		t.Errorf("held: %+v", d.Reasons)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.intoto.json", "a.intoto.json", "notes.txt", "x.json", ".b.intoto.json.1.tmp", "deeper/c.intoto.json"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := receipts.Files(dir)
	want := []string{filepath.Join(dir, "a.intoto.json"), filepath.Join(dir, "b.intoto.json"), filepath.Join(dir, "deeper/c.intoto.json")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want = []string{filepath.Join(link, "a.intoto.json"), filepath.Join(link, "b.intoto.json"), filepath.Join(link, "deeper/c.intoto.json")}
	if got, err := receipts.Files(link); err != nil || !slices.Equal(got, want) {
		t.Errorf("through a link: %q, %v", got, err)
	}
	if got, err := receipts.Files(filepath.Join(dir, "notes.txt")); err != nil || len(got) != 1 {
		t.Errorf("a file by its name: %q, %v", got, err)
	}
	for _, read := range []func(string) error{
		func(path string) error { _, err := receipts.Files(path); return err },
		func(path string) error { _, err := receipts.ReadInputs(path); return err },
	} {
		if err := read(filepath.Join(dir, "none")); !os.IsNotExist(err) {
			t.Errorf("nothing there: %v", err)
		}
	}
}

// What may be evidence is not passed over without a word.
func TestFilesRefusesWhatItDoesNotRead(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.intoto.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(target, name string) func(dir string) error {
		return func(dir string) error { return os.Symlink(target, filepath.Join(dir, name)) }
	}
	for name, tt := range map[string]struct {
		put  func(dir string) error
		want string
	}{
		"a link to a document":      {link(filepath.Join(outside, "a.intoto.json"), "b.intoto.json"), "b.intoto.json: not a regular file"},
		"a link to nothing":         {link("nothing", "b.intoto.json"), "b.intoto.json: not a regular file"},
		"a linked directory":        {link(outside, "runs"), "runs: a link to a directory is not followed"},
		"a link upwards":            {link("..", "up"), "up: a link to a directory is not followed"},
		"a link to some other file": {link(filepath.Join(outside, "a.intoto.json"), "notes"), ""},
		"a bundle": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "x.intoto.jsonl"), nil, 0o644) },
			"x.intoto.jsonl: a bundle inside a directory is not read"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "deeper"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := tt.put(filepath.Join(dir, "deeper")); err != nil {
			t.Fatal(err)
		}
		_, err := receipts.Files(dir)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "deeper")+"/"+tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// What cannot be read back is not signed.
func TestReceiptsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *receipts.Receipt){
		"long string": func(r *receipts.Receipt) { r.Checkpoints[1].Joins[0].HTTP = strings.Repeat("x", 64<<10+1) },
		"long list":   func(r *receipts.Receipt) { r.Spans = make([]receipts.Span, 65537) },
		"large whole": func(r *receipts.Receipt) {
			for range 200 {
				r.Checkpoints = append(r.Checkpoints, receipts.Checkpoint{Message: strings.Repeat("x", 60<<10)})
			}
		},
	} {
		r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
		change(&r)
		if _, _, err := receipts.SignReceipt(r, signer()); receipts.CodeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A receipt is written whole or not at all: what is there stays when the new one cannot be written.
func TestWriteReceiptIntoNoDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, receipts.ReceiptFile(receipts.ScenarioUpdate, "amd64")), 0o755); err != nil {
		t.Fatal(err)
	}
	m := updateManifest(receiptstest.Digest("receipt"))
	for _, to := range []string{filepath.Join(dir, "none"), dir} {
		if _, err := receipts.WriteReceipt(to, receiptstest.Receipt(receipts.ScenarioUpdate), signer()); err == nil {
			t.Errorf("a receipt is written into %s", to)
		}
	}
	if _, err := receipts.WriteManifest(filepath.Join(dir, "none"), "amd64", m, signer()); err == nil {
		t.Error("a manifest is written into no directory")
	}
	m.Run = ""
	if _, err := receipts.WriteManifest(dir, "amd64", m, signer()); receipts.CodeOf(err) != receipts.CodeManifestInvalid {
		t.Errorf("a manifest of no run: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestManifestsRefused(t *testing.T) {
	t.Parallel()
	good := updateManifest(receiptstest.Digest("receipt"))
	tests := map[string]func(m *receipts.Manifest){
		"no run":               func(m *receipts.Manifest) { m.Run = "" },
		"no cells":             func(m *receipts.Manifest) { m.Cells = nil },
		"no start":             func(m *receipts.Manifest) { m.StartedAt = time.Time{} },
		"ends before it began": func(m *receipts.Manifest) { m.FinishedAt = m.StartedAt.Add(-1) },
		"cell without file":    func(m *receipts.Manifest) { m.Cells[0].File = "" },
		"cell without digest":  func(m *receipts.Manifest) { m.Cells[0].Candidate = "latest" },
		"odd platform":         func(m *receipts.Manifest) { m.Cells[0].Platform = "x" },
		"odd receipt":          func(m *receipts.Manifest) { m.Cells[0].Receipt = "x" },
		"cell twice":           func(m *receipts.Manifest) { m.Cells = append(m.Cells, m.Cells[0]) },
		"cell with two receipts": func(m *receipts.Manifest) {
			m.Cells = append(m.Cells, m.Cells[0])
			m.Cells[1].Receipt = receiptstest.Digest("another")
		},
		"receipt of two cells": func(m *receipts.Manifest) {
			m.Cells = append(m.Cells, m.Cells[0])
			m.Cells[1].Scenario = "other"
		},
	}
	if _, _, err := receipts.SignManifest(good, signer()); err != nil {
		t.Fatal(err)
	}
	for name, change := range tests {
		m := good
		m.Cells = slices.Clone(good.Cells)
		change(&m)
		if _, _, err := receipts.SignManifest(m, signer()); receipts.CodeOf(err) != receipts.CodeManifestInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The order in which the cells were filled makes no difference to the manifest.
func TestManifestIsOrdered(t *testing.T) {
	t.Parallel()
	m := updateManifest(receiptstest.Digest("receipt"))
	m.Cells = append(m.Cells, receipts.Cell{Architecture: "amd64", Scenario: "a", Candidate: receiptstest.Digest("c"), File: "a"})
	reversed := m
	reversed.Cells = slices.Clone(m.Cells)
	slices.Reverse(reversed.Cells)
	if one, other := manifestOver(t, m), manifestOver(t, reversed); !bytes.Equal(one, other) {
		t.Error("it does")
	}
}

// The digest of a document is that of its payload: a signature more does not change it, and no canonical form is needed.
func TestDigestsStay(t *testing.T) {
	t.Parallel()
	raw, digest, err := receipts.SignReceipt(receiptstest.Receipt(receipts.ScenarioUpdate), signer())
	if err != nil {
		t.Fatal(err)
	}
	more, err := receipts.Countersign(raw, receiptstest.Ed25519("b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range [][]byte{raw, more} {
		document, err := receipts.Open(form, keysOf(signer()), 1)
		if err != nil || document.Digest != digest || document.Digest != receipts.Digest(takeApart(t, form).Payload) {
			t.Errorf("%v, %v", document, err)
		}
	}
}

func TestReceiptsReadBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, scenario := range allScenarios() {
		r := receiptstest.Receipt(scenario)
		r.Checkpoints[1].Message = "é <html> & \x1b[31m \xff"
		r.Run.StartedAt = r.Run.StartedAt.In(time.FixedZone("CET", 3600))
		want := receipts.Complete(r)
		document, err := receipts.Open(signedReceipt(t, r, signer()), keysOf(signer()), 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *document.Receipt); diff != "" {
			t.Errorf("%s:\n%s", scenario, diff)
		}
		if !strings.Contains(want.Checkpoints[1].Message, "\uFFFD") || want.Run.StartedAt.Location() != time.UTC {
			t.Errorf("%s: not normalized: %q, %s", scenario, want.Checkpoints[1].Message, want.Run.StartedAt)
		}
	}
	empty := receipts.Receipt{}
	if _, err := receipts.Open(signedReceipt(t, empty, signer()), keysOf(signer()), 1); err != nil {
		t.Errorf("the receipt of a run that saw nothing: %v", err)
	}
}

func TestReadUnverified(t *testing.T) {
	t.Parallel()
	raw := signedReceipt(t, receiptstest.Receipt(receipts.ScenarioUpdate), receiptstest.ECDSA("stranger"))
	document, err := receipts.ReadUnverified(raw)
	if err != nil || document.Receipt == nil || document.SignedBy != nil {
		t.Errorf("%+v, %v", document, err)
	}
	payload := replaced(t, takeApart(t, raw).Payload, `"verdict":"PASSED"`, `"verdict":"FAILED"`)
	for name, bad := range map[string][]byte{
		"no envelope":  []byte("{}"),
		"another type": seal(t, "text/plain", payload, signer()),
		"no statement": seal(t, receipts.PayloadType, []byte("{}"), signer()),
		"a lie":        seal(t, receipts.PayloadType, payload, signer()),
	} {
		if _, err := receipts.ReadUnverified(bad); receipts.CodeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
