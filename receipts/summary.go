package receipts

import (
	"crypto"
	"strings"
	"time"
)

// VerificationSummaryType is the predicate type of SLSA's verification summaries.
const VerificationSummaryType = "https://slsa.dev/verification_summary/v1"

// VerificationSummary is the predicate of a SLSA verification summary attestation: a Decision, for tools that know
// these.
type VerificationSummary struct {
	Verifier           Verifier             `json:"verifier"`
	TimeVerified       time.Time            `json:"timeVerified"`
	ResourceURI        string               `json:"resourceUri"`
	Policy             ResourceDescriptor   `json:"policy"`
	InputAttestations  []ResourceDescriptor `json:"inputAttestations"`
	VerificationResult string               `json:"verificationResult"` // PASSED or FAILED
	VerifiedLevels     []string             `json:"verifiedLevels"`     // the dispositions found, such as REHEARSAL_COMPATIBLE_ROLLBACK
}

// Verifier is who decided. SLSA also knows a version here, which in-toto's own Go type refuses to read.
type Verifier struct {
	ID string `json:"id"` // a URI
}

// SummaryOf puts a decision into the words of SLSA. The resource is what was decided on, as a URI; the policy's URI is
// where it can be found. Inputs are those that the decision took.
func SummaryOf(d Decision, verifier Verifier, resourceURI, policyURI string) VerificationSummary {
	summary := VerificationSummary{
		Verifier:           verifier,
		TimeVerified:       d.At,
		ResourceURI:        resourceURI,
		Policy:             ResourceDescriptor{URI: policyURI, Digest: subject("", d.Policy).Digest},
		InputAttestations:  []ResourceDescriptor{},
		VerificationResult: ResultFailed,
		VerifiedLevels:     []string{},
	}
	for _, input := range d.Inputs {
		if input.Code == "" {
			summary.InputAttestations = append(summary.InputAttestations, ResourceDescriptor{URI: input.Name, Digest: subject("", input.Digest).Digest})
		}
	}
	if !d.Promote {
		return summary
	}
	summary.VerificationResult = ResultPassed
	seen := make(map[string]bool)
	for _, cell := range d.Cells {
		if level := levelOf(cell.Disposition); level != "" && !seen[level] {
			seen[level] = true
			summary.VerifiedLevels = append(summary.VerifiedLevels, level)
		}
	}
	return summary
}

// levelOf writes a disposition as SLSA writes levels: "REHEARSAL_RESTORE_REQUIRED".
func levelOf(d Disposition) string {
	name, ok := strings.CutPrefix(string(d), "promotable/")
	if !ok {
		return ""
	}
	return "REHEARSAL_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// SignSummary signs the verification summary of a decision, about the candidate.
func SignSummary(d Decision, verifier Verifier, resourceURI, policyURI string, signers ...crypto.Signer) ([]byte, error) {
	subjects := []Subject{subject(resourceURI, d.Candidate)}
	raw, _, err := sign(VerificationSummaryType, subjects, normalized(SummaryOf(d, verifier, resourceURI, policyURI)), signers)
	return raw, err
}
