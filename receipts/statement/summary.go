package statement

import (
	"time"
)

// VerificationSummaryType is the predicate type of SLSA's verification summaries.
const VerificationSummaryType = "https://slsa.dev/verification_summary/v1"

// VerificationSummary is the predicate of a SLSA verification summary attestation. It gives a gate's decision to tools
// that read these.
type VerificationSummary struct {
	Verifier           Verifier             `json:"verifier"`
	TimeVerified       time.Time            `json:"timeVerified"`
	ResourceURI        string               `json:"resourceUri"`
	Policy             ResourceDescriptor   `json:"policy"`
	InputAttestations  []ResourceDescriptor `json:"inputAttestations"`
	VerificationResult string               `json:"verificationResult"` // PASSED or FAILED
	VerifiedLevels     []string             `json:"verifiedLevels"`     // the dispositions that were found, such as REHEARSAL_COMPATIBLE_ROLLBACK
}

// Verifier identifies the gate that decided. SLSA also defines a version here, but in-toto's Go type does not read it.
type Verifier struct {
	ID string `json:"id"` // a URI
}
