package statement

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
