package receipts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// suitePolicy wants the whole suite on amd64, of fixture games.
func suitePolicy() receipts.Policy {
	return receipts.Policy{
		Version:       receipts.PolicyVersion,
		Architectures: []string{"amd64"},
		Scenarios:     receiptstest.Scenarios(),
		Fixtures:      true,
	}
}

func now() time.Time { return receiptstest.Time().Add(time.Hour) }

func signer() receiptstest.Signer { return receiptstest.ECDSA("harness") }

func trust(t testing.TB, p receipts.Policy) receipts.Trust {
	t.Helper()
	trust, err := receipts.TrustOf(p, receiptstest.Public(signer()))
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func signed(t testing.TB, run *receiptstest.Run) []receipts.Input {
	t.Helper()
	inputs, err := run.Sign(signer())
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

func decide(t testing.TB, p receipts.Policy, candidate string, inputs []receipts.Input) receipts.Decision {
	t.Helper()
	return receipts.Decide(p, trust(t, p), receipts.Question{Candidate: candidate}, slices.Values(inputs), now())
}

func codes(d receipts.Decision) []receipts.Code {
	var codes []receipts.Code
	for _, reason := range d.Reasons {
		codes = append(codes, reason.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func candidateOf(scenario string) string { return receiptstest.Candidate(scenario).Digest }

func TestDecideOnTheSuite(t *testing.T) {
	t.Parallel()
	withRestore := suitePolicy()
	withRestore.Dispositions = []receipts.Disposition{receipts.CompatibleRollback, receipts.RestoreRequired}
	tests := []struct {
		name      string
		policy    receipts.Policy
		candidate string
		want      []receipts.Code
	}{
		{"compatible", suitePolicy(), candidateOf(receipts.ScenarioCompatibleRollback), nil},
		{"restore required, not allowed", suitePolicy(), candidateOf(receipts.ScenarioRestoreRequired),
			[]receipts.Code{receipts.CodeNotRehearsed, receipts.CodeDispositionDenied, receipts.CodeRequiredCell}},
		{"restore required, allowed", withRestore, candidateOf(receipts.ScenarioRestoreRequired), nil},
		{"http-only", withRestore, candidateOf(receipts.ScenarioHTTPOnly),
			[]receipts.Code{receipts.CodeCandidateBlocked, receipts.CodeNotRehearsed, receipts.CodeRequiredCell}},
		{"unpullable", withRestore, candidateOf(receipts.ScenarioUnpullable),
			[]receipts.Code{receipts.CodeCandidateBlocked, receipts.CodeNotRehearsed, receipts.CodeRequiredCell}},
		{"never rehearsed", withRestore, receiptstest.Digest("unheard of"),
			[]receipts.Code{receipts.CodeNotRehearsed, receipts.CodeRequiredCell}},
		{"the baseline", withRestore, receiptstest.Baseline().Digest,
			[]receipts.Code{receipts.CodeNotRehearsed, receipts.CodeRequiredCell}},
	}
	inputs := signed(t, receiptstest.NewRun("amd64"))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := decide(t, tt.policy, tt.candidate, inputs)
			if got := codes(d); d.Promote != (len(tt.want) == 0) || !slices.Equal(got, sorted(tt.want)) {
				t.Errorf("promote %t, codes %q, want %q\n%+v", d.Promote, got, tt.want, d.Reasons)
			}
		})
	}
}

func sorted(codes []receipts.Code) []receipts.Code {
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return codes
}

func TestDecideOnDamagedRuns(t *testing.T) {
	t.Parallel()
	compatible := candidateOf(receipts.ScenarioCompatibleRollback)
	inputs := signed(t, receiptstest.NewRun("amd64"))
	if d := decide(t, suitePolicy(), compatible, inputs); !d.Promote {
		t.Fatalf("the whole run is held: %+v", d.Reasons)
	}
	if d := decide(t, suitePolicy(), compatible, nil); d.Promote || !slices.Contains(codes(d), receipts.CodeNoEvidence) {
		t.Errorf("nothing at all: promote %t, %q", d.Promote, codes(d))
	}
	for i, input := range inputs {
		dropped := slices.Delete(slices.Clone(inputs), i, i+1)
		if d := decide(t, suitePolicy(), compatible, dropped); d.Promote {
			t.Errorf("promoted without %s", input.Name)
		}
		altered := slices.Clone(inputs)
		altered[i].Raw = slices.Clone(input.Raw)
		altered[i].Raw[len(input.Raw)/2] ^= 1
		if d := decide(t, suitePolicy(), compatible, altered); d.Promote {
			t.Errorf("promoted with %s altered", input.Name)
		}
		doubled := append(slices.Clone(inputs), input)
		if d := decide(t, suitePolicy(), compatible, doubled); !d.Promote {
			t.Errorf("held because %s is there twice: %+v", input.Name, d.Reasons)
		}
	}
}
