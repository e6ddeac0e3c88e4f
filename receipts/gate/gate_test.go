package gate_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// suitePolicy demands the whole suite on amd64, and allows fixture games.
func suitePolicy() gate.Policy {
	return gate.Policy{
		Version:       gate.PolicyVersion,
		Architectures: []string{"amd64"},
		Scenarios:     receiptstest.Scenarios(),
		Fixtures:      true,
	}
}

func now() time.Time { return receiptstest.Time().Add(time.Hour) }

func signer() receiptstest.Signer { return receiptstest.ECDSA("harness") }

func trust(t testing.TB, p gate.Policy) gate.Trust {
	t.Helper()
	trust, err := gate.TrustOf(p, receiptstest.Public(signer()))
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func signed(t testing.TB, run *receiptstest.Run) []gate.Input {
	t.Helper()
	inputs, err := run.Sign(signer())
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

func decide(t testing.TB, p gate.Policy, candidate string, inputs []gate.Input) gate.Decision {
	t.Helper()
	return gate.Decide(p, trust(t, p), gate.Question{Candidate: candidate}, slices.Values(inputs), now())
}

func codes(d gate.Decision) []refusal.Code {
	var codes []refusal.Code
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
	withRestore.Dispositions = []statement.Disposition{statement.CompatibleRollback, statement.RestoreRequired}
	tests := []struct {
		name      string
		policy    gate.Policy
		candidate string
		want      []refusal.Code
	}{
		{"compatible", suitePolicy(), candidateOf(statement.ScenarioCompatibleRollback), nil},
		{"restore required, not allowed", suitePolicy(), candidateOf(statement.ScenarioRestoreRequired),
			[]refusal.Code{refusal.CandidateNotRehearsed, refusal.DispositionNotAllowed, refusal.RequiredCellMissing}},
		{"restore required, allowed", withRestore, candidateOf(statement.ScenarioRestoreRequired), nil},
		{"http-only", withRestore, candidateOf(statement.ScenarioHTTPOnly),
			[]refusal.Code{refusal.CandidateBlocked, refusal.CandidateNotRehearsed, refusal.RequiredCellMissing}},
		{"unpullable", withRestore, candidateOf(statement.ScenarioUnpullable),
			[]refusal.Code{refusal.CandidateBlocked, refusal.CandidateNotRehearsed, refusal.RequiredCellMissing}},
		{"never rehearsed", withRestore, receiptstest.Digest("unheard of"),
			[]refusal.Code{refusal.CandidateNotRehearsed, refusal.RequiredCellMissing}},
		{"the baseline", withRestore, receiptstest.Baseline().Digest,
			[]refusal.Code{refusal.CandidateNotRehearsed, refusal.RequiredCellMissing}},
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

func sorted(codes []refusal.Code) []refusal.Code {
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return codes
}

func TestDecideOnDamagedRuns(t *testing.T) {
	t.Parallel()
	compatible := candidateOf(statement.ScenarioCompatibleRollback)
	inputs := signed(t, receiptstest.NewRun("amd64"))
	if d := decide(t, suitePolicy(), compatible, inputs); !d.Promote {
		t.Fatalf("the whole run is held: %+v", d.Reasons)
	}
	if d := decide(t, suitePolicy(), compatible, nil); d.Promote || !slices.Contains(codes(d), refusal.NoEvidence) {
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
			t.Errorf("held because %s is given twice: %+v", input.Name, d.Reasons)
		}
	}
}

// A Trust may name a key twice.
func TestDecideOnKeysGivenTwice(t *testing.T) {
	t.Parallel()
	a, b := receiptstest.ECDSA("a"), receiptstest.ECDSA("b")
	inputs, err := updateRun("amd64").Sign(a, b)
	if err != nil {
		t.Fatal(err)
	}
	keyA, keyB := receiptstest.Public(a), receiptstest.Public(b)
	past := receiptstest.Time().Add(-time.Hour)
	for name, tt := range map[string]struct {
		keys      []gate.TrustedKey
		threshold int
		promote   bool
	}{
		"both":                         {[]gate.TrustedKey{{Key: keyA}, {Key: keyB}}, 2, true},
		"one expired":                  {[]gate.TrustedKey{{Key: keyA}, {Key: keyB, NotAfter: past}}, 2, false},
		"one expired, the other twice": {[]gate.TrustedKey{{Key: keyA}, {Key: keyA}, {Key: keyB, NotAfter: past}}, 2, false},
		"revoked, and given again":     {[]gate.TrustedKey{{Key: keyA, Revoked: true}, {Key: keyA}}, 1, false},
	} {
		p := updatePolicy()
		p.Threshold = tt.threshold
		question := gate.Question{Candidate: candidateOf(statement.ScenarioUpdate)}
		if d := gate.Decide(p, gate.Trust{Receipts: tt.keys}, question, slices.Values(inputs), now()); d.Promote != tt.promote {
			t.Errorf("%s: promote %t: %+v", name, d.Promote, d.Reasons)
		}
	}
}

// An expired key cannot hold promotions for ever with a future date.
func TestDecideOnAnExpiredKeyFromTheFuture(t *testing.T) {
	t.Parallel()
	old := receiptstest.ECDSA("old")
	p := updatePolicy()
	p.Keys = []gate.PolicyKey{{PEM: string(receiptstest.Public(old).PEM()), NotAfter: receiptstest.Time().Add(-24 * time.Hour)}}
	run := updateRun("amd64")
	run.ID, run.Shift = "run-old", 50*365*24*time.Hour
	run.Receipts[0].Fleet[0].Restarts = 1
	failed, err := run.Sign(old)
	if err != nil {
		t.Fatal(err)
	}
	inputs := append(signed(t, updateRun("amd64")), named("old/", failed)...)
	d := gate.Decide(p, trust(t, p), gate.Question{Candidate: candidateOf(statement.ScenarioUpdate)}, slices.Values(inputs), now())
	if !d.Promote || d.Inputs[1].Code != refusal.KeyOutsideValidity {
		t.Errorf("promote %t: %+v\n%+v", d.Promote, d.Reasons, d.Inputs)
	}
}

// Copies of a document are reported once, under the first of their names, in any order of the inputs.
func TestDecideReportsCopiesOnce(t *testing.T) {
	t.Parallel()
	var inputs []gate.Input
	for _, name := range []string{"c", "a", "b"} {
		inputs = append(inputs, named(name+"/", signed(t, updateRun("amd64")))...)
	}
	for i := range 3000 {
		inputs = append(inputs, gate.Input{Name: fmt.Sprintf("stranger %04d", i), Raw: []byte("{}")})
	}
	d := decide(t, updatePolicy(), candidateOf(statement.ScenarioUpdate), inputs)
	if !d.Promote || len(d.Inputs) != 2+1024 || d.Unreported != 4+3000-1024 || d.Inputs[0].Name != "a/"+manifestFile || d.Inputs[1025].Name != "stranger 1023" {
		t.Errorf("promote %t, %d reports, %d unreported, from %s to %s", d.Promote, len(d.Inputs), d.Unreported, d.Inputs[0].Name, d.Inputs[len(d.Inputs)-1].Name)
	}
	slices.Reverse(inputs)
	if diff := cmp.Diff(d, decide(t, updatePolicy(), candidateOf(statement.ScenarioUpdate), inputs)); diff != "" {
		t.Errorf("another order:\n%s", diff)
	}
}

// The caller can recover from a panic while inputs are read.
func TestDecidePanicsInTheCallersGoroutine(t *testing.T) {
	t.Parallel()
	inputs := func(yield func(gate.Input) bool) {
		yield(signed(t, updateRun("amd64"))[0])
		panic("the caller's own")
	}
	defer func() {
		if p := recover(); p != "the caller's own" {
			t.Errorf("recovered %v", p)
		}
	}()
	gate.Decide(updatePolicy(), trust(t, updatePolicy()), gate.Question{}, inputs, now())
}

// Decide iterates over the inputs in the caller's goroutine: the caller may be bound to its thread, and may end the
// goroutine while inputs are read, as a failing test does.
func TestDecideReadsInTheCallersGoroutine(t *testing.T) {
	t.Parallel()
	question := gate.Question{Candidate: candidateOf(statement.ScenarioUpdate)}
	inputs, trusted := signed(t, updateRun("amd64")), trust(t, updatePolicy())
	var bound gate.Decision
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		defer close(done)
		bound = gate.Decide(updatePolicy(), trusted, question, slices.Values(inputs), now())
	}()
	<-done
	if !bound.Promote {
		t.Errorf("bound to a thread: %+v", bound.Reasons)
	}

	decided, ended := false, make(chan bool)
	go func() {
		defer close(ended)
		gate.Decide(updatePolicy(), trusted, question, func(yield func(gate.Input) bool) {
			for _, input := range inputs {
				yield(input)
			}
			runtime.Goexit()
		}, now())
		decided = true
	}()
	<-ended
	if decided {
		t.Error("decided on inputs that did not come to their end")
	}
}
