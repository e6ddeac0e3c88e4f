package attestation

import (
	"crypto"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// TestResultOf expresses what a receipt says of its candidate as a test-result v0.1. It needs the digest of the receipt.
func TestResultOf(r statement.Receipt, receiptDigest string) statement.TestResult {
	r = evaluation.Complete(r)
	out := statement.TestResult{
		Result: statement.ResultFailed,
		Configuration: []statement.ResourceDescriptor{
			{Name: statement.ReceiptFile(r.Run.Scenario, r.Environment.Architecture), Digest: statement.NewSubject("", receiptDigest).Digest},
			{Name: r.Baseline.Image, Digest: statement.NewSubject("", r.Baseline.Digest).Digest},
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
	case r.Verdict != statement.Passed:
	case r.Disposition == statement.RestoreRequired:
		out.Result, out.WarnedTests = statement.ResultWarned, append(out.WarnedTests, string(r.Disposition))
	default:
		out.Result, out.PassedTests = statement.ResultPassed, append(out.PassedTests, string(r.Disposition))
	}
	return out
}

// SignTestResult signs the test result of a receipt. Its subjects are those of the receipt.
func SignTestResult(r statement.Receipt, receiptDigest string, signers ...crypto.Signer) ([]byte, error) {
	raw, _, err := Sign(statement.TestResultType, r.Subjects(), strictjson.Normalized(TestResultOf(r, receiptDigest)), signers)
	return raw, err
}
