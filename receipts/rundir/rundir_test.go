package rundir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// A run that is written into a directory is read from it, and decided on.
func TestRunDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := statement.Manifest{Run: "run-amd64", Harness: "v1.0.0", StartedAt: receiptstest.Time(), FinishedAt: receiptstest.Time().Add(2 * time.Minute)}
	for _, scenario := range receiptstest.Scenarios() {
		cell, err := rundir.WriteReceipt(dir, receiptstest.Observations(scenario, "amd64"), receiptstest.ECDSA("harness"))
		if err != nil {
			t.Fatal(err)
		}
		m.Cells = append(m.Cells, cell)
	}
	digest, err := rundir.WriteManifest(dir, "amd64", m, receiptstest.ECDSA("harness"))
	if err != nil || !statement.IsDigest(digest) {
		t.Fatalf("%q, %v", digest, err)
	}
	update := receiptstest.Observations(statement.ScenarioRestoreRequired, "amd64")
	if err := rundir.WriteTestResult(dir, update, m.Cells[len(m.Cells)-1], receiptstest.ECDSA("harness")); err != nil {
		t.Fatal(err)
	}
	rollout, err := journal.Open(filepath.Join(dir, statement.JournalFile(statement.ScenarioUnpullable, "amd64")))
	if err != nil {
		t.Fatal(err)
	}
	defer rollout.Close()
	if _, err := rollout.Append(journal.Entry{At: receiptstest.Time(), Kind: journal.Baseline, Image: receiptstest.Digest("a")}); err != nil {
		t.Fatal(err)
	}

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
	text, err := os.ReadFile(filepath.Join(dir, statement.PublicKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if key, err := dsse.ParseKey(text); err != nil || key.ID() != receiptstest.Public(receiptstest.ECDSA("harness")).ID() {
		t.Errorf("public key: %v", err)
	}
	inputs, err := rundir.ReadInputs(dir)
	if err != nil {
		t.Fatal(err)
	}
	policy := gate.Policy{Version: gate.PolicyVersion, Architectures: []string{"amd64"}, Scenarios: receiptstest.Scenarios(), Fixtures: true}
	trust, err := gate.TrustOf(policy, receiptstest.Public(receiptstest.ECDSA("harness")))
	if err != nil {
		t.Fatal(err)
	}
	question := gate.Question{Candidate: receiptstest.Candidate(statement.ScenarioCompatibleRollback).Digest}
	if d := gate.Decide(policy, trust, question, slices.Values(inputs), receiptstest.Time().Add(time.Hour)); !d.Promote {
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
	got, err := rundir.Files(dir)
	want := []string{filepath.Join(dir, "a.intoto.json"), filepath.Join(dir, "b.intoto.json"), filepath.Join(dir, "deeper/c.intoto.json")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want = []string{filepath.Join(link, "a.intoto.json"), filepath.Join(link, "b.intoto.json"), filepath.Join(link, "deeper/c.intoto.json")}
	if got, err := rundir.Files(link); err != nil || !slices.Equal(got, want) {
		t.Errorf("through a link: %q, %v", got, err)
	}
	if got, err := rundir.Files(filepath.Join(dir, "notes.txt")); err != nil || len(got) != 1 {
		t.Errorf("a file by its name: %q, %v", got, err)
	}
	for _, read := range []func(string) error{
		func(path string) error { _, err := rundir.Files(path); return err },
		func(path string) error { _, err := rundir.ReadInputs(path); return err },
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
		_, err := rundir.Files(dir)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "deeper")+"/"+tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// A receipt is written whole or not at all: what is there stays when the new one cannot be written.
func TestWriteReceiptIntoNoDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, statement.ReceiptFile(statement.ScenarioUpdate, "amd64")), 0o755); err != nil {
		t.Fatal(err)
	}
	m := receiptstest.UpdateManifest(receiptstest.Digest("receipt"))
	for _, to := range []string{filepath.Join(dir, "none"), dir} {
		if _, err := rundir.WriteReceipt(to, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("harness")); err == nil {
			t.Errorf("a receipt is written into %s", to)
		}
	}
	if _, err := rundir.WriteManifest(filepath.Join(dir, "none"), "amd64", m, receiptstest.ECDSA("harness")); err == nil {
		t.Error("a manifest is written into no directory")
	}
	m.Run = ""
	if _, err := rundir.WriteManifest(dir, "amd64", m, receiptstest.ECDSA("harness")); refusal.CodeOf(err) != refusal.ManifestInvalid {
		t.Errorf("a manifest of no run: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
