package scenarios

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// TestGate asks the gate about every candidate of the suite, on the suite's own receipts.
func TestGate(t *testing.T) {
	t.Parallel()
	// A hold names what is missing in addition to the reason.
	missing := slices.Clip([]refusal.Code{refusal.CandidateNotRehearsed, refusal.RequiredCellMissing})
	restoreToo := []statement.Disposition{statement.CompatibleRollback, statement.RestoreRequired}
	tests := []struct {
		name         string
		candidate    games.Game
		dispositions []statement.Disposition
		tamper       func(t *testing.T, files map[string][]byte)
		want         []refusal.Code // nil promotes
	}{
		{name: "new build", candidate: games.NewBuild},
		{name: "new format by default", candidate: games.NewFormat, want: append(missing, refusal.DispositionNotAllowed)},
		{name: "new format where a restore is allowed", candidate: games.NewFormat, dispositions: restoreToo},
		{name: "unpullable", candidate: games.Unpullable, dispositions: restoreToo, want: append(missing, refusal.CandidateBlocked)},
		{name: "http-only", candidate: games.HTTPOnly, dispositions: restoreToo, want: append(missing, refusal.CandidateBlocked)},
		{name: "never rehearsed", candidate: games.LosesExtra, want: missing},
		{
			name: "altered receipt", candidate: games.NewBuild, tamper: alterReceipt,
			want: append(missing, refusal.ReceiptMissing),
		},
		{
			name: "missing receipt", candidate: games.NewBuild, tamper: dropReceipt,
			want: append(missing, refusal.ReceiptMissing),
		},
		{
			name: "empty folder", candidate: games.NewBuild, tamper: func(_ *testing.T, files map[string][]byte) { clear(files) },
			want: append(missing, refusal.NoEvidence),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all, err := qualification()
			if err != nil {
				t.Fatal(err)
			}
			files := readEvidence(t, all.dir)
			if test.tamper != nil {
				test.tamper(t, files)
			}
			decision := decide(t, all, test.candidate, test.dispositions, files)
			if decision.Promote != (test.want == nil) {
				t.Errorf("promote is %v", decision.Promote)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(test.want)), codes(decision)); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%+v", diff, decision.Reasons)
			}
		})
	}
}

// TestTestResults reads the signed test results, which tools read that do not know receipts.
func TestTestResults(t *testing.T) {
	t.Parallel()
	all, err := qualification()
	if err != nil {
		t.Fatal(err)
	}
	files := readEvidence(t, all.dir)
	got := map[string]string{}
	for _, c := range Cases() {
		document, err := attestation.Open(files[statement.TestResultFile(c.Scenario, onStage(t).Environment().Architecture)], []dsse.Key{all.key}, 1)
		if err != nil {
			t.Fatalf("%s: %v", c.Scenario, err)
		}
		got[c.Scenario] = document.Result.Result
	}
	want := map[string]string{
		"bad-image/unpullable": statement.ResultFailed,
		"bad-image/http-only":  statement.ResultFailed,
		"compatible-rollback":  statement.ResultPassed,
		"format-changing":      statement.ResultWarned,
		"restore-required":     statement.ResultWarned,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func decide(t *testing.T, all qualified, candidate games.Game, dispositions []statement.Disposition, files map[string][]byte) gate.Decision {
	t.Helper()
	policy := gate.Policy{
		Version:       gate.PolicyVersion,
		Architectures: []string{onStage(t).Environment().Architecture},
		Dispositions:  dispositions,
		Fixtures:      true,
	}
	for _, c := range Cases() {
		policy.Scenarios = append(policy.Scenarios, c.Scenario)
	}
	inputs := func(yield func(gate.Input) bool) {
		for name, raw := range files {
			if !yield(gate.Input{Name: name, Raw: raw}) {
				return
			}
		}
	}
	question := gate.Question{Candidate: statement.ImageDigest(onStage(t).Image(candidate).Ref), Challenge: "suite-nonce"}
	trust, err := gate.TrustOf(policy, all.key)
	if err != nil {
		t.Fatal(err)
	}
	return gate.Decide(policy, trust, question, inputs, time.Now())
}

// codes returns the distinct codes of a hold in order, or nil for a promotion.
func codes(decision gate.Decision) []refusal.Code {
	seen := map[refusal.Code]bool{}
	for _, reason := range decision.Reasons {
		seen[reason.Code] = true
	}
	if len(seen) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(seen))
}

// readEvidence returns the signed documents of the run by file name. The tests change them.
func readEvidence(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	inputs, err := rundir.ReadInputs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*len(Cases()) + 1; len(inputs) != want {
		t.Fatalf("%d signed documents in %s, want %d: a receipt and a test result for each case, and the manifest", len(inputs), dir, want)
	}
	files := map[string][]byte{}
	for _, input := range inputs {
		files[filepath.Base(input.Name)] = input.Raw
	}
	return files
}

// alterReceipt changes one byte of the signed payload.
func alterReceipt(t *testing.T, files map[string][]byte) {
	name := receiptFile(t, files)
	at := bytes.Index(files[name], []byte(`"payload":`)) + len(`"payload":`) + 40
	files[name][at] ^= 1
}

func dropReceipt(t *testing.T, files map[string][]byte) {
	delete(files, receiptFile(t, files))
}

func receiptFile(t *testing.T, files map[string][]byte) string {
	t.Helper()
	name := statement.ReceiptFile("compatible-rollback", onStage(t).Environment().Architecture)
	if files[name] == nil {
		t.Fatalf("no %s", name)
	}
	return name
}
