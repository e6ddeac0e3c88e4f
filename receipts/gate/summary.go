package gate

import (
	"crypto"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// SummaryOf expresses a decision as a SLSA verification summary. The resource URI names the candidate; the policy URI
// says where the policy is. The summary names the inputs that the decision accepted.
func SummaryOf(d Decision, verifier statement.Verifier, resourceURI, policyURI string) statement.VerificationSummary {
	summary := statement.VerificationSummary{
		Verifier:           verifier,
		TimeVerified:       d.At,
		ResourceURI:        resourceURI,
		Policy:             statement.ResourceDescriptor{URI: policyURI, Digest: statement.NewSubject("", d.Policy).Digest},
		InputAttestations:  []statement.ResourceDescriptor{},
		VerificationResult: statement.ResultFailed,
		VerifiedLevels:     []string{},
	}
	for _, input := range d.Inputs {
		if input.Code == "" {
			summary.InputAttestations = append(summary.InputAttestations, statement.ResourceDescriptor{URI: input.Name, Digest: statement.NewSubject("", input.Digest).Digest})
		}
	}
	if !d.Promote {
		return summary
	}
	summary.VerificationResult = statement.ResultPassed
	seen := make(map[string]bool)
	for _, cell := range d.Cells {
		if level := levelOf(cell.Disposition); level != "" && !seen[level] {
			seen[level] = true
			summary.VerifiedLevels = append(summary.VerifiedLevels, level)
		}
	}
	return summary
}

// levelOf returns a disposition in SLSA's notation of levels: "REHEARSAL_RESTORE_REQUIRED".
func levelOf(d statement.Disposition) string {
	name, ok := strings.CutPrefix(string(d), "promotable/")
	if !ok {
		return ""
	}
	return "REHEARSAL_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// SignSummary signs the verification summary of a decision, about the candidate.
func SignSummary(d Decision, verifier statement.Verifier, resourceURI, policyURI string, signers ...crypto.Signer) ([]byte, error) {
	subjects := []statement.Subject{statement.NewSubject(resourceURI, d.Candidate)}
	raw, _, err := attestation.Sign(statement.VerificationSummaryType, subjects, strictjson.Normalized(SummaryOf(d, verifier, resourceURI, policyURI)), signers)
	return raw, err
}
