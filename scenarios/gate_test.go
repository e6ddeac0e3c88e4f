package scenarios

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// TestGate asks the gate about every candidate of the suite, on the suite's own receipts.
func TestGate(t *testing.T) {
	t.Parallel()
	// What is missing is said beside the reason why it is.
	missing := slices.Clip([]receipts.Code{receipts.CodeNotRehearsed, receipts.CodeRequiredCell})
	restoreToo := []receipts.Disposition{receipts.CompatibleRollback, receipts.RestoreRequired}
	tests := []struct {
		name         string
		candidate    Game
		dispositions []receipts.Disposition
		tamper       func(t *testing.T, files map[string][]byte)
		want         []receipts.Code // nil promotes
	}{
		{name: "new build", candidate: NewBuild},
		{name: "new format by default", candidate: NewFormat, want: append(missing, receipts.CodeDispositionDenied)},
		{name: "new format where a restore is allowed", candidate: NewFormat, dispositions: restoreToo},
		{name: "unpullable", candidate: Unpullable, dispositions: restoreToo, want: append(missing, receipts.CodeCandidateBlocked)},
		{name: "http-only", candidate: HTTPOnly, dispositions: restoreToo, want: append(missing, receipts.CodeCandidateBlocked)},
		{name: "never rehearsed", candidate: LosesExtra, want: missing},
		{
			name: "altered receipt", candidate: NewBuild, tamper: alterReceipt,
			want: append(missing, receipts.CodeReceiptMissing),
		},
		{
			name: "missing receipt", candidate: NewBuild, tamper: dropReceipt,
			want: append(missing, receipts.CodeReceiptMissing),
		},
		{
			name: "empty folder", candidate: NewBuild, tamper: func(_ *testing.T, files map[string][]byte) { clear(files) },
			want: append(missing, receipts.CodeNoEvidence),
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

func decide(t *testing.T, all qualified, candidate Game, dispositions []receipts.Disposition, files map[string][]byte) receipts.Decision {
	t.Helper()
	policy := receipts.Policy{
		Version:       receipts.PolicyVersion,
		Architectures: []string{stage.environment.Architecture},
		Dispositions:  dispositions,
		Fixtures:      true,
	}
	for _, c := range Cases() {
		policy.Scenarios = append(policy.Scenarios, c.Scenario)
	}
	inputs := func(yield func(receipts.Input) bool) {
		for name, raw := range files {
			if !yield(receipts.Input{Name: name, Raw: raw}) {
				return
			}
		}
	}
	ref := stage.images.of(candidate).Ref
	question := receipts.Question{Candidate: ref[strings.LastIndex(ref, "sha256:"):], Challenge: "suite-nonce"}
	trust, err := receipts.TrustOf(policy, all.key)
	if err != nil {
		t.Fatal(err)
	}
	return receipts.Decide(policy, trust, question, inputs, time.Now())
}

// codes returns the distinct codes of a hold, in order, or nil of a promotion.
func codes(decision receipts.Decision) []receipts.Code {
	seen := map[receipts.Code]bool{}
	for _, reason := range decision.Reasons {
		seen[reason.Code] = true
	}
	if len(seen) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(seen))
}

func readEvidence(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := len(Cases()) + 1; len(names) != want {
		t.Fatalf("%d signed documents in %s, want %d", len(names), dir, want)
	}
	files := map[string][]byte{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = raw
	}
	return files
}

// alterReceipt changes one byte of what was signed.
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
	for name := range files {
		if strings.HasPrefix(name, "compatible-rollback.") {
			return name
		}
	}
	t.Fatal("no receipt of compatible-rollback")
	return ""
}
