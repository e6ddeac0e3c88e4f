package receipts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// A standard tool asks whether the tests of an image passed. Of a bad image they did not, though its case did.
func TestTestResults(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		receipts.ScenarioUnpullable:         receipts.ResultFailed,
		receipts.ScenarioHTTPOnly:           receipts.ResultFailed,
		receipts.ScenarioFormatChanging:     receipts.ResultWarned,
		receipts.ScenarioRestoreRequired:    receipts.ResultWarned,
		receipts.ScenarioCompatibleRollback: receipts.ResultPassed,
		receipts.ScenarioUpdate:             receipts.ResultPassed,
	}
	for scenario, result := range want {
		r := receiptstest.Receipt(scenario)
		got := receipts.TestResultOf(r, receiptstest.Digest("receipt"))
		if got.Result != result || (len(got.FailedTests) > 0) != (result == receipts.ResultFailed) || len(got.PassedTests) < len(r.Checks) {
			t.Errorf("%s: %+v", scenario, got)
		}
	}
	failed := receiptstest.Observations(receipts.ScenarioCompatibleRollback, "amd64")
	failed.Fleet[0].Restarts = 1
	if got := receipts.TestResultOf(failed, receiptstest.Digest("receipt")); got.Result != receipts.ResultFailed || !slices.Contains(got.FailedTests, "fleet-untouched") {
		t.Errorf("a failed case: %+v", got)
	}
	raw, err := receipts.SignTestResult(receiptstest.Receipt(receipts.ScenarioUpdate), receiptstest.Digest("receipt"), signer())
	if err != nil {
		t.Fatal(err)
	}
	if document, err := receipts.Open(raw, keysOf(signer()), 1); err != nil || document.Result == nil || document.Kind != receipts.TestResultType {
		t.Errorf("%+v, %v", document, err)
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	inputs := append(signed(t, receiptstest.NewRun("amd64")), receipts.Input{Name: "garbage", Raw: []byte("{}")})
	verifier := receipts.Verifier{ID: "https://example.com/gate"}
	for _, promote := range []bool{true, false} {
		candidate := candidateOf(receipts.ScenarioHTTPOnly)
		levels, result := []string{}, receipts.ResultFailed
		if promote {
			candidate, levels, result = candidateOf(receipts.ScenarioCompatibleRollback), []string{"REHEARSAL_COMPATIBLE_ROLLBACK"}, receipts.ResultPassed
		}
		d := decide(t, suitePolicy(), candidate, inputs)
		raw, err := receipts.SignSummary(d, verifier, "pkg:oci/game@"+candidate, "policy.yaml", signer())
		if err != nil {
			t.Fatal(err)
		}
		document, err := receipts.Open(raw, keysOf(signer()), 1)
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
	v := overrideVector(t, "", "", func(*receipts.Override) {})
	trusted := trust(t, v.policy)
	d := receipts.Decide(v.policy, trusted, v.question, slices.Values(v.inputs), v.now)
	if !d.Promote || len(d.Overrides) != 1 || d.Overrides[0].By != "release manager" ||
		!slices.Equal(d.Overrides[0].Used, []receipts.Code{receipts.CodeDispositionDenied}) {
		t.Errorf("%t, %+v", d.Promote, d.Overrides)
	}
	// Where the policy allows the disposition, nothing rests on the override, and the decision says so.
	v.policy.Dispositions = []receipts.Disposition{receipts.RestoreRequired}
	d = receipts.Decide(v.policy, trusted, v.question, slices.Values(v.inputs), v.now)
	if !d.Promote || len(d.Overrides) != 1 || len(d.Overrides[0].Used) != 0 {
		t.Errorf("%t, %+v", d.Promote, d.Overrides)
	}
}

func TestEveryWaivableCodeIsWaived(t *testing.T) {
	t.Parallel()
	for _, code := range receipts.Waivable() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			v := overrideVector(t, "", "", func(o *receipts.Override) { o.Waives = []receipts.Code{code} })
			run := receiptstest.RunOf("amd64", receipts.ScenarioRestoreRequired)
			v.policy.Dispositions = []receipts.Disposition{receipts.RestoreRequired}
			switch code {
			case receipts.CodeDispositionDenied:
				v.policy.Dispositions = nil
			case receipts.CodeRequiredCell:
				v.policy.Scenarios = append(v.policy.Scenarios, receipts.ScenarioHTTPOnly)
			case receipts.CodeFixtureNotAllowed:
				v.policy.Fixtures = false
			case receipts.CodeEmulatedNotAllowed:
				run.Receipts[0].Environment.Emulated = true
			case receipts.CodeOpenEgressNotAllowed:
				run.Receipts[0].Environment.Egress = receipts.EgressOpen
			case receipts.CodeDepthTooShallow:
				run = updateRun("amd64")
				run.Receipts[0].Run.Depth = receipts.Joined
				v.policy.Scenarios, v.policy.Dispositions = []string{receipts.ScenarioUpdate}, nil
				v.question.Candidate = candidateOf(receipts.ScenarioUpdate)
				v.inputs[2].Raw = signedOverride(t, func(o *receipts.Override) {
					o.Waives, o.Candidate = []receipts.Code{code}, v.question.Candidate
				}, overrider())
			}
			inputs := signed(t, run)
			held := receipts.Decide(v.policy, trust(t, v.policy), v.question, slices.Values(inputs), v.now)
			if held.Promote || !slices.Contains(codes(held), code) {
				t.Errorf("without the override: promote %t, %q", held.Promote, codes(held))
			}
			waived := receipts.Decide(v.policy, trust(t, v.policy), v.question, slices.Values(append(inputs, v.inputs[2])), v.now)
			if !waived.Promote || !slices.Equal(waived.Overrides[0].Used, []receipts.Code{code}) {
				t.Errorf("with it: promote %t, %+v, %+v", waived.Promote, waived.Reasons, waived.Overrides)
			}
		})
	}
}

func TestOverridesRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(o *receipts.Override){
		"no candidate":    func(o *receipts.Override) { o.Candidate = "latest" },
		"nobody":          func(o *receipts.Override) { o.By = "" },
		"no reason":       func(o *receipts.Override) { o.Reason = "" },
		"nothing":         func(o *receipts.Override) { o.Waives = nil },
		"a code twice":    func(o *receipts.Override) { o.Waives = append(o.Waives, o.Waives[0]) },
		"odd policy":      func(o *receipts.Override) { o.Policy = "mine" },
		"never issued":    func(o *receipts.Override) { o.IssuedAt = time.Time{} },
		"expired at once": func(o *receipts.Override) { o.ExpiresAt = o.IssuedAt },
		"too long":        func(o *receipts.Override) { o.ExpiresAt = o.IssuedAt.Add(receipts.MaxOverride + 1) },
		"what is no code": func(o *receipts.Override) { o.Waives = []receipts.Code{"everything"} },
	} {
		o := goodOverride()
		change(&o)
		if _, _, err := receipts.SignOverride(o, overrider()); receipts.CodeOf(err) != receipts.CodeOverrideInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
