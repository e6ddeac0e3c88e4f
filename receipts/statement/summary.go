package statement

import (
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
