package receipts

import (
	"crypto"
)

// TestResultType is the predicate type of in-toto's test results, for tools that know these alone.
const TestResultType = "https://in-toto.io/attestation/test-result/v0.1"

// Results of a TestResult.
const (
	ResultPassed = "PASSED"
	ResultWarned = "WARNED"
	ResultFailed = "FAILED"
)

// TestResult is the predicate test-result v0.1: what a receipt says of its candidate, in the words of standard tools.
//
// It speaks of the candidate, where a receipt's verdict speaks of the case. The receipt of a bad image is PASSED because
// the image was blocked; the test result of that image is FAILED.
type TestResult struct {
	Result        string               `json:"result"`        // PASSED: promotable; WARNED: going back needs a restore; FAILED: all else
	Configuration []ResourceDescriptor `json:"configuration"` // the receipt, and the baseline's image
	PassedTests   []string             `json:"passedTests"`
	WarnedTests   []string             `json:"warnedTests"`
	FailedTests   []string             `json:"failedTests"`
}

// ResourceDescriptor names an artifact by digest.
type ResourceDescriptor struct {
	Name   string    `json:"name,omitempty"`
	URI    string    `json:"uri,omitempty"`
	Digest DigestSet `json:"digest"`
}

// TestResultOf says in the words of test-result v0.1 what a receipt, whose digest is given, says of its candidate.
func TestResultOf(r Receipt, receiptDigest string) TestResult {
	r = Complete(r)
	out := TestResult{
		Result: ResultFailed,
		Configuration: []ResourceDescriptor{
			{Name: ReceiptFile(r.Run.Scenario, r.Environment.Architecture), Digest: subject("", receiptDigest).Digest},
			{Name: r.Baseline.Image, Digest: subject("", r.Baseline.Digest).Digest},
		},
		PassedTests: []string{}, WarnedTests: []string{}, FailedTests: []string{},
	}
	for _, check := range r.Checks {
		if check.OK {
			out.PassedTests = append(out.PassedTests, check.Name)
		} else {
			out.FailedTests = append(out.FailedTests, check.Name)
		}
	}
	switch {
	case !r.Disposition.Promotable():
		out.FailedTests = append(out.FailedTests, string(r.Disposition))
	case r.Verdict != Passed:
	case r.Disposition == RestoreRequired:
		out.Result, out.WarnedTests = ResultWarned, append(out.WarnedTests, string(r.Disposition))
	default:
		out.Result, out.PassedTests = ResultPassed, append(out.PassedTests, string(r.Disposition))
	}
	return out
}

// SignTestResult signs the test result of a receipt, about the same artifacts as the receipt.
func SignTestResult(r Receipt, receiptDigest string, signers ...crypto.Signer) ([]byte, error) {
	raw, _, err := sign(TestResultType, r.Subjects(), normalized(TestResultOf(r, receiptDigest)), signers)
	return raw, err
}
