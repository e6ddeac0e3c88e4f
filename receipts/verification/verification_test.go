package verification_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
	"github.com/GameplanePanel/rehearsal/receipts/verification"
)

// verifyFiles writes files and verifies their directory.
func verifyFiles(t *testing.T, files map[string][]byte) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	for name, raw := range files {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	source := &rundir.Source{Paths: []string{dir}}
	ok := true
	for f := range verification.Of(source, []dsse.Key{receiptstest.Public(receiptstest.ECDSA("harness"))}, 1) {
		ok = ok && f.OK()
		fmt.Fprintf(&out, "%-8s  %s  %s\n", f.Word, f.Name, f.Text)
	}
	if source.Err() != nil {
		t.Fatal(source.Err())
	}
	return ok, strings.ReplaceAll(out.String(), dir+"/", "")
}

// A manifest must name its own receipts, and all that are there of its run.
func TestVerifyManifests(t *testing.T) {
	t.Parallel()
	const manifest = "manifest.amd64.intoto.json"
	for name, tt := range map[string]struct {
		change func(m *statement.Manifest)
		want   []string // beginnings of lines
	}{
		"of another run": {func(m *statement.Manifest) { m.Run = "run-x" }, []string{
			"REFUSED   " + manifest + "  its cell amd64/update names update.amd64.intoto.json: run \"run-amd64\", not \"run-x\"",
			"note      compatible-rollback.amd64.intoto.json  no manifest of run run-amd64 was given: nobody can tell what else it saw",
		}},
		"of another architecture": {func(m *statement.Manifest) { m.Cells[1].Architecture = "arm64" }, []string{
			"REFUSED   " + manifest + "  its cell arm64/update names update.amd64.intoto.json: architecture \"amd64\", not \"arm64\"",
		}},
		"of another scenario": {func(m *statement.Manifest) { m.Cells[1].Scenario = "restore-required" }, []string{
			"REFUSED   " + manifest + "  its cell amd64/restore-required names update.amd64.intoto.json: scenario \"update\"",
		}},
		"of another candidate": {func(m *statement.Manifest) { m.Cells[1].Candidate = receiptstest.Digest("x") }, []string{
			"REFUSED   " + manifest + "  its cell amd64/update names update.amd64.intoto.json: candidate ",
		}},
		"of another platform": {func(m *statement.Manifest) { m.Cells[1].Platform = receiptstest.Digest("x") }, []string{
			"REFUSED   " + manifest + "  its cell amd64/update names update.amd64.intoto.json: platform \"\", not ",
		}},
		"of another challenge": {func(m *statement.Manifest) { m.Challenge = "nonce" }, []string{
			"REFUSED   " + manifest + "  its cell amd64/update names update.amd64.intoto.json: challenge \"\", not \"nonce\"",
		}},
		"of another time": {func(m *statement.Manifest) { m.FinishedAt = m.StartedAt.Add(time.Second) }, []string{
			"REFUSED   " + manifest + "  its cell amd64/update names update.amd64.intoto.json: finished at 2026-11-11T09:01:30Z, outside the run",
		}},
		"two receipts swapped": {func(m *statement.Manifest) {
			m.Cells[0].Receipt, m.Cells[1].Receipt = m.Cells[1].Receipt, m.Cells[0].Receipt
		}, []string{
			"REFUSED   " + manifest + "  its cell amd64/compatible-rollback names update.amd64.intoto.json: scenario \"update\"",
			"REFUSED   " + manifest + "  its cell amd64/update names compatible-rollback.amd64.intoto.json: scenario \"compatible-rollback\"",
		}},
		"a receipt dropped from it": {func(m *statement.Manifest) { m.Cells = m.Cells[:1] }, []string{
			"verified  " + manifest,
			"REFUSED   update.amd64.intoto.json  the manifest of run run-amd64 does not name it",
		}},
		"no receipt was written": {func(m *statement.Manifest) {
			m.Cells = append(m.Cells,
				statement.Cell{Architecture: "amd64", Scenario: "x", Candidate: receiptstest.Digest("x"), File: "x.intoto.json"},
				statement.Cell{Architecture: "amd64", Scenario: "y", Candidate: receiptstest.Digest("y"), File: "y.intoto.json"})
		}, []string{
			"MISSING   x.intoto.json  run run-amd64 wrote no receipt of amd64/x",
			"MISSING   y.intoto.json  run run-amd64 wrote no receipt of amd64/y",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signer := receiptstest.ECDSA("harness")
			inputs, err := receiptstest.RunOf("amd64", statement.ScenarioCompatibleRollback, statement.ScenarioUpdate).Sign(signer)
			if err != nil {
				t.Fatal(err)
			}
			files := make(map[string][]byte)
			for _, input := range inputs {
				files[input.Name] = input.Raw
			}
			document, err := attestation.ReadUnverified(files[manifest])
			if err != nil {
				t.Fatal(err)
			}
			if ok, out := verifyFiles(t, files); !ok {
				t.Fatalf("unchanged: %s", out)
			}
			tt.change(document.Manifest)
			if files[manifest], _, err = attestation.SignManifest(*document.Manifest, signer); err != nil {
				t.Fatal(err)
			}
			ok, out := verifyFiles(t, files)
			for _, want := range tt.want {
				if !strings.Contains("\n"+out, "\n"+want) {
					t.Errorf("no line %s in\n%s", want, out)
				}
			}
			if ok {
				t.Errorf("verified:\n%s", out)
			}
		})
	}
}

// Two manifests of one run that name other receipts of a cell contradict each other.
func TestVerifyContradiction(t *testing.T) {
	t.Parallel()
	files := make(map[string][]byte)
	for _, suffix := range []string{"", "2"} {
		run := receiptstest.RunOf("amd64", statement.ScenarioUpdate)
		run.Receipts[0].Checkpoints[0].Joins[0].Evidence += suffix
		inputs, err := run.Sign(receiptstest.ECDSA("harness"))
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range inputs {
			files[suffix+input.Name] = input.Raw
		}
	}
	ok, out := verifyFiles(t, files)
	if want := "REFUSED   manifest.amd64.intoto.json  another manifest of run run-amd64 names another receipt of amd64/update\n"; ok || !strings.Contains(out, want) {
		t.Errorf("%t:\n%s", ok, out)
	}
}

// What a receipt says of itself leads to no file outside its directory.
func TestVerifyStaysInside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ scenario, architecture string }{
		{"update", "x/../../../outside"},
		{"update", "/etc/x"},
		{"update", ".."},
		{`..\..\x`, "amd64"},
		{"update", "amd64\x00"},
	} {
		r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		r.Run.Scenario, r.Environment.Architecture = tt.scenario, tt.architecture
		raw, _, err := attestation.SignReceipt(r, receiptstest.ECDSA("harness"))
		if err != nil {
			t.Fatal(err)
		}
		ok, out := verifyFiles(t, map[string][]byte{"a.intoto.json": raw})
		if ok || !strings.Contains(out, "REFUSED   a.intoto.json  scenario ") {
			t.Errorf("%q on %q: %t:\n%s", tt.scenario, tt.architecture, ok, out)
		}
	}
}

// Who wants no more findings gets none, and what cannot be read ends them.
func TestFindingsEnd(t *testing.T) {
	t.Parallel()
	keys := []dsse.Key{receiptstest.Public(receiptstest.ECDSA("harness"))}
	dir := t.TempDir()
	if _, err := rundir.WriteReceipt(dir, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("harness")); err != nil {
		t.Fatal(err)
	}
	for range verification.Of(&rundir.Source{Paths: []string{dir}}, keys, 1) {
		break
	}
	source := &rundir.Source{Paths: []string{dir, filepath.Join(dir, "none")}}
	var words []verification.Word
	for f := range verification.Of(source, keys, 1) {
		words = append(words, f.Word)
	}
	if source.Err() == nil || len(words) != 1 || words[0] != verification.Verified {
		t.Errorf("%v, %v", words, source.Err())
	}
}
