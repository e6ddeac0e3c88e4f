// Package refusal names, by stable codes, why something is refused: a document, or a promotion.
package refusal

import (
	"errors"
	"fmt"
)

// Code is a stable name for the reason why a document was refused or a promotion held.
// Programs may compare codes; the sentences beside them are for people and may change.
type Code string

// Codes of a refused document: what it says is not believed, whoever signed it.
const (
	TooLarge           Code = "too-large"            // above the size that its kind may have
	EnvelopeMalformed  Code = "envelope-malformed"   // not a DSSE envelope in strict JSON
	EnvelopeForm       Code = "envelope-form"        // an envelope, but not in its one byte form (see Normalize)
	NoSignature        Code = "no-signature"         // the envelope carries no signature
	SignatureInvalid   Code = "signature-invalid"    // no signature by a trusted key verifies
	ThresholdNotMet    Code = "threshold-not-met"    // fewer distinct trusted keys signed than the policy asks
	PayloadType        Code = "payload-type"         // signed, but not as an in-toto statement
	StatementMalformed Code = "statement-malformed"  // not a statement in strict JSON
	StatementType      Code = "statement-type"       // not a Statement v1
	PredicateType      Code = "predicate-type"       // a statement about something else
	PredicateMalformed Code = "predicate-malformed"  // a predicate with unknown, missing, doubled or mistyped fields
	SubjectMismatch    Code = "subject-mismatch"     // the subjects are not the ones that the predicate speaks of
	VerdictMismatch    Code = "verdict-mismatch"     // the verdict, the disposition or a check differs from what the observations show
	ManifestInvalid    Code = "manifest-invalid"     // a run manifest that contradicts itself
	OverrideInvalid    Code = "override-invalid"     // an override that waives what cannot be waived, or has no bounds
	NotEvidence        Code = "not-evidence"         // well-formed, but of a kind that a decision does not rest on
	Stale              Code = "stale"                // finished longer ago than the policy allows
	FromTheFuture      Code = "from-the-future"      // finished after now, beyond the allowed clock skew
	KeyOutsideValidity Code = "key-outside-validity" // finished at a time for which none of its keys is valid
)

// Codes of a held promotion.
const (
	PolicyInvalid         Code = "policy-invalid"          // nothing can be decided by this policy
	PolicyExpired         Code = "policy-expired"          // the policy promotes nothing any more
	CandidateMalformed    Code = "candidate-malformed"     // the question does not name an image digest
	NoTrustedKey          Code = "no-trusted-key"          // no key is trusted that is not revoked
	ChallengeMissing      Code = "challenge-missing"       // the policy wants a challenge and the gate gave none
	NoEvidence            Code = "no-evidence"             // no document at all
	CandidateNotRehearsed Code = "candidate-not-rehearsed" // no counting receipt of the candidate on an architecture
	RequiredCellMissing   Code = "required-cell-missing"   // a scenario that the policy wants was not passed on an architecture, or in too few runs
	ReceiptMissing        Code = "receipt-missing"         // a manifest names a receipt that is not there
	ReceiptRefused        Code = "receipt-refused"         // a manifest names a receipt that is refused
	CellMismatch          Code = "cell-mismatch"           // a receipt is not of the cell that the manifest gives it
	CellContradicted      Code = "cell-contradicted"       // two trusted documents disagree on the receipt of a cell
	ManifestMissing       Code = "manifest-missing"        // a receipt, of whichever game, whose run has no manifest here
	ReceiptUnlisted       Code = "receipt-unlisted"        // a receipt, of whichever game, that its run's manifest does not name
	ScenarioFailed        Code = "scenario-failed"         // the case did not go as it must
	ScenarioError         Code = "scenario-error"          // a fault outside the product: nothing is known
	ScenarioInconclusive  Code = "scenario-inconclusive"   // the evidence has a gap
	CandidateBlocked      Code = "candidate-blocked"       // the rehearsal blocked the candidate
	DispositionNotAllowed Code = "disposition-not-allowed" // promotable, but at a price that the policy does not allow
	ChallengeMismatch     Code = "challenge-mismatch"      // the run answers another challenge
	TemplateMismatch      Code = "template-mismatch"       // the candidate was rehearsed with another template revision
	BundleMismatch        Code = "bundle-mismatch"         // the candidate was rehearsed from another module bundle
	FixtureNotAllowed     Code = "fixture-not-allowed"     // the candidate is a game made for tests
	EmulatedNotAllowed    Code = "emulated-not-allowed"    // the run was on an emulated processor
	EgressNotAllowed      Code = "egress-not-allowed"      // the cluster of the run could reach out
	DepthTooShallow       Code = "depth-too-shallow"       // the run asked less of a join than the policy
)

// Refusal says why a document is not believed. Callers find it with errors.AsType or errors.As.
type Error struct {
	Code   Code
	Detail string
}

// Error implements error.
func (r *Error) Error() string { return string(r.Code) + ": " + r.Detail }

func New(code Code, format string, args ...any) error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of a refused document, or "" where err is nil or no Refusal.
func CodeOf(err error) Code {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}
