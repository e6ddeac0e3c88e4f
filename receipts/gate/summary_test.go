package gate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// A test result is about the image: that of a bad image is FAILED, although the receipt of its case is PASSED.
func TestTestResults(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		statement.ScenarioUnpullable:         statement.ResultFailed,
		statement.ScenarioHTTPOnly:           statement.ResultFailed,
		statement.ScenarioFormatChanging:     statement.ResultWarned,
		statement.ScenarioRestoreRequired:    statement.ResultWarned,
		statement.ScenarioCompatibleRollback: statement.ResultPassed,
		statement.ScenarioUpdate:             statement.ResultPassed,
	}
	for scenario, result := range want {
		r := receiptstest.Receipt(scenario)
		got := attestation.TestResultOf(r, receiptstest.Digest("receipt"))
		if got.Result != result || (len(got.FailedTests) > 0) != (result == statement.ResultFailed) || len(got.PassedTests) < len(r.Checks) {
			t.Errorf("%s: %+v", scenario, got)
		}
	}
	failed := receiptstest.Observations(statement.ScenarioCompatibleRollback, "amd64")
	failed.Fleet[0].Restarts = 1
	if got := attestation.TestResultOf(failed, receiptstest.Digest("receipt")); got.Result != statement.ResultFailed || !slices.Contains(got.FailedTests, "fleet-untouched") {
		t.Errorf("a failed case: %+v", got)
	}
	raw, err := attestation.SignTestResult(receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.Digest("receipt"), signer())
	if err != nil {
		t.Fatal(err)
	}
	if document, err := attestation.Open(raw, receiptstest.Keys(signer()), 1); err != nil || document.Result == nil || document.Kind != statement.TestResultType {
		t.Errorf("%+v, %v", document, err)
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	inputs := append(signed(t, receiptstest.NewRun("amd64")), gate.Input{Name: "garbage", Raw: []byte("{}")})
	verifier := statement.Verifier{ID: "https://example.com/gate"}
	for _, promote := range []bool{true, false} {
		candidate := candidateOf(statement.ScenarioHTTPOnly)
		levels, result := []string{}, statement.ResultFailed
		if promote {
			candidate, levels, result = candidateOf(statement.ScenarioCompatibleRollback), []string{"REHEARSAL_COMPATIBLE_ROLLBACK"}, statement.ResultPassed
		}
		d := decide(t, suitePolicy(), candidate, inputs)
		raw, err := gate.SignSummary(d, verifier, "pkg:oci/game@"+candidate, "policy.yaml", signer())
		if err != nil {
			t.Fatal(err)
		}
		document, err := attestation.Open(raw, receiptstest.Keys(signer()), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := document.Summary
		if got.VerificationResult != result || !cmp.Equal(got.VerifiedLevels, levels) || len(got.InputAttestations) != 6 ||
			"sha256:"+got.Policy.Digest.SHA256 != suitePolicy().Digest() || !got.TimeVerified.Equal(now()) || got.Verifier != verifier {
			t.Errorf("promote %t: %+v", promote, got)
		}
	}
}

func TestDecisionShowsItsOverride(t *testing.T) {
	t.Parallel()
	v := overrideVector(t, "", "", func(*statement.Override) {})
	trusted := trust(t, v.policy)
	d := gate.Decide(v.policy, trusted, v.question, slices.Values(v.inputs), v.now)
	if !d.Promote || len(d.Overrides) != 1 || d.Overrides[0].By != "release manager" ||
		!slices.Equal(d.Overrides[0].Used, []refusal.Code{refusal.DispositionNotAllowed}) {
		t.Errorf("%t, %+v", d.Promote, d.Overrides)
	}
	// If the policy allows the disposition, the decision does not use the override, and says so.
	v.policy.Dispositions = []statement.Disposition{statement.RestoreRequired}
	d = gate.Decide(v.policy, trusted, v.question, slices.Values(v.inputs), v.now)
	if !d.Promote || len(d.Overrides) != 1 || len(d.Overrides[0].Used) != 0 {
		t.Errorf("%t, %+v", d.Promote, d.Overrides)
	}
}

func TestEveryWaivableCodeIsWaived(t *testing.T) {
	t.Parallel()
	for _, code := range statement.Waivable() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			v := overrideVector(t, "", "", func(o *statement.Override) { o.Waives = []refusal.Code{code} })
			run := receiptstest.RunOf("amd64", statement.ScenarioRestoreRequired)
			v.policy.Dispositions = []statement.Disposition{statement.RestoreRequired}
			switch code {
			case refusal.DispositionNotAllowed:
				v.policy.Dispositions = nil
			case refusal.RequiredCellMissing:
				v.policy.Scenarios = append(v.policy.Scenarios, statement.ScenarioHTTPOnly)
			case refusal.FixtureNotAllowed:
				v.policy.Fixtures = false
			case refusal.EmulatedNotAllowed:
				run.Receipts[0].Environment.Emulated = true
			case refusal.EgressNotAllowed:
				run.Receipts[0].Environment.Egress = statement.EgressOpen
			case refusal.DepthTooShallow:
				run = updateRun("amd64")
				run.Receipts[0].Run.Depth = statement.Joined
				v.policy.Scenarios, v.policy.Dispositions = []string{statement.ScenarioUpdate}, nil
				v.question.Candidate = candidateOf(statement.ScenarioUpdate)
				v.inputs[2].Raw = signedOverride(t, func(o *statement.Override) {
					o.Waives, o.Candidate = []refusal.Code{code}, v.question.Candidate
				}, overrider())
			}
			inputs := signed(t, run)
			held := gate.Decide(v.policy, trust(t, v.policy), v.question, slices.Values(inputs), v.now)
			if held.Promote || !slices.Contains(codes(held), code) {
				t.Errorf("without the override: promote %t, %q", held.Promote, codes(held))
			}
			waived := gate.Decide(v.policy, trust(t, v.policy), v.question, slices.Values(append(inputs, v.inputs[2])), v.now)
			if !waived.Promote || !slices.Equal(waived.Overrides[0].Used, []refusal.Code{code}) {
				t.Errorf("with it: promote %t, %+v, %+v", waived.Promote, waived.Reasons, waived.Overrides)
			}
		})
	}
}

func TestOverridesRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *statement.Override){
		"no candidate":    func(o *statement.Override) { o.Candidate = "latest" },
		"no author":       func(o *statement.Override) { o.By = "" },
		"no reason":       func(o *statement.Override) { o.Reason = "" },
		"waives nothing":  func(o *statement.Override) { o.Waives = nil },
		"a code twice":    func(o *statement.Override) { o.Waives = append(o.Waives, o.Waives[0]) },
		"odd policy":      func(o *statement.Override) { o.Policy = "mine" },
		"never issued":    func(o *statement.Override) { o.IssuedAt = time.Time{} },
		"expired at once": func(o *statement.Override) { o.ExpiresAt = o.IssuedAt },
		"too long":        func(o *statement.Override) { o.ExpiresAt = o.IssuedAt.Add(statement.MaxOverride + 1) },
		"unknown code":    func(o *statement.Override) { o.Waives = []refusal.Code{"everything"} },
	} {
		o := goodOverride()
		change(&o)
		if _, _, err := attestation.SignOverride(o, overrider()); refusal.CodeOf(err) != refusal.OverrideInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
