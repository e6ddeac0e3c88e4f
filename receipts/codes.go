package receipts

import (
	"errors"
	"fmt"
)

// Code is a stable name for the reason why a document was refused or a promotion held.
// Programs may compare codes; the sentences beside them are for people and may change.
type Code string

// Codes of a refused document: what it says is not believed, whoever signed it.
const (
	CodeTooLarge           Code = "too-large"            // above the size that its kind may have
	CodeEnvelopeMalformed  Code = "envelope-malformed"   // not a DSSE envelope in strict JSON
	CodeEnvelopeForm       Code = "envelope-form"        // an envelope, but not in its one byte form (see Normalize)
	CodeNoSignature        Code = "no-signature"         // the envelope carries no signature
	CodeSignatureInvalid   Code = "signature-invalid"    // no signature by a trusted key verifies
	CodeThreshold          Code = "threshold-not-met"    // fewer distinct trusted keys signed than the policy asks
	CodePayloadType        Code = "payload-type"         // signed, but not as an in-toto statement
	CodeStatementMalformed Code = "statement-malformed"  // not a statement in strict JSON
	CodeStatementType      Code = "statement-type"       // not a Statement v1
	CodePredicateType      Code = "predicate-type"       // a statement about something else
	CodePredicateMalformed Code = "predicate-malformed"  // a predicate with unknown, missing, doubled or mistyped fields
	CodeSubjectMismatch    Code = "subject-mismatch"     // the subjects are not the ones that the predicate speaks of
	CodeVerdictMismatch    Code = "verdict-mismatch"     // the verdict, the disposition or a check differs from what the observations show
	CodeManifestInvalid    Code = "manifest-invalid"     // a run manifest that contradicts itself
	CodeOverrideInvalid    Code = "override-invalid"     // an override that waives what cannot be waived, or has no bounds
	CodeNotEvidence        Code = "not-evidence"         // well-formed, but of a kind that a decision does not rest on
	CodeStale              Code = "stale"                // finished longer ago than the policy allows
	CodeFromFuture         Code = "from-the-future"      // finished after now, beyond the allowed clock skew
	CodeKeyWindow          Code = "key-outside-validity" // finished at a time for which none of its keys is valid
)

// Codes of a held promotion.
const (
	CodePolicyInvalid        Code = "policy-invalid"          // nothing can be decided by this policy
	CodePolicyExpired        Code = "policy-expired"          // the policy promotes nothing any more
	CodeCandidateMalformed   Code = "candidate-malformed"     // the question does not name an image digest
	CodeNoTrustedKey         Code = "no-trusted-key"          // no key is trusted that is not revoked
	CodeChallengeMissing     Code = "challenge-missing"       // the policy wants a challenge and the gate gave none
	CodeNoEvidence           Code = "no-evidence"             // no document at all
	CodeNotRehearsed         Code = "candidate-not-rehearsed" // no counting receipt of the candidate on an architecture
	CodeRequiredCell         Code = "required-cell-missing"   // a scenario that the policy wants was not passed on an architecture, or in too few runs
	CodeReceiptMissing       Code = "receipt-missing"         // a manifest names a receipt that is not there
	CodeReceiptRefused       Code = "receipt-refused"         // a manifest names a receipt that is refused
	CodeCellMismatch         Code = "cell-mismatch"           // a receipt is not of the cell that the manifest gives it
	CodeCellContradicted     Code = "cell-contradicted"       // two trusted documents disagree on the receipt of a cell
	CodeManifestMissing      Code = "manifest-missing"        // a receipt, of whichever game, whose run has no manifest here
	CodeReceiptUnlisted      Code = "receipt-unlisted"        // a receipt, of whichever game, that its run's manifest does not name
	CodeScenarioFailed       Code = "scenario-failed"         // the case did not go as it must
	CodeScenarioError        Code = "scenario-error"          // a fault outside the product: nothing is known
	CodeScenarioOpen         Code = "scenario-inconclusive"   // the evidence has a gap
	CodeCandidateBlocked     Code = "candidate-blocked"       // the rehearsal blocked the candidate
	CodeDispositionDenied    Code = "disposition-not-allowed" // promotable, but at a price that the policy does not allow
	CodeChallengeMismatch    Code = "challenge-mismatch"      // the run answers another challenge
	CodeTemplateMismatch     Code = "template-mismatch"       // the candidate was rehearsed with another template revision
	CodeBundleMismatch       Code = "bundle-mismatch"         // the candidate was rehearsed from another module bundle
	CodeFixtureNotAllowed    Code = "fixture-not-allowed"     // the candidate is a game made for tests
	CodeEmulatedNotAllowed   Code = "emulated-not-allowed"    // the run was on an emulated processor
	CodeOpenEgressNotAllowed Code = "egress-not-allowed"      // the cluster of the run could reach out
	CodeDepthTooShallow      Code = "depth-too-shallow"       // the run asked less of a join than the policy
)

// Refusal says why a document is not believed. Callers find it with errors.AsType or errors.As.
type Refusal struct {
	Code   Code
	Detail string
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Detail }

func refuse(code Code, format string, args ...any) error {
	return &Refusal{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of a refused document, or "" where err is nil or no Refusal.
func CodeOf(err error) Code {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.Code
	}
	return ""
}
