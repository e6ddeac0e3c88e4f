package statement

// TestResultType is the predicate type of in-toto's test results.
const TestResultType = "https://in-toto.io/attestation/test-result/v0.1"

// Results of a TestResult.
const (
	ResultPassed = "PASSED"
	ResultWarned = "WARNED"
	ResultFailed = "FAILED"
)

// TestResult is the predicate test-result v0.1. It gives what a receipt says of its candidate to tools that do not know
// receipts.
//
// A test result is about the candidate; a receipt's verdict is about the case. The receipt of a bad image is PASSED if
// the image was blocked. The test result of that image is FAILED.
type TestResult struct {
	Result        string               `json:"result"`        // PASSED: promotable; WARNED: promotable, but a rollback needs a restore; FAILED: anything else
	Configuration []ResourceDescriptor `json:"configuration"` // the receipt, and the baseline's image
	PassedTests   []string             `json:"passedTests"`
	WarnedTests   []string             `json:"warnedTests"`
	FailedTests   []string             `json:"failedTests"`
}
