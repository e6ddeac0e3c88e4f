// Package refusal defines stable codes that say why a document is refused or why a promotion is held.
package refusal

import (
	"errors"
	"fmt"
)

// Code is a stable name for the reason why a document is refused or a promotion is held.
// Programs may compare codes. The sentences that come with codes are for people and may change.
type Code string

// Codes of a refused document. A gate does not believe such a document, whoever signed it.
const (
	TooLarge           Code = "too-large"            // larger than documents of its kind may be
	EnvelopeMalformed  Code = "envelope-malformed"   // not a DSSE envelope in strict JSON
	EnvelopeForm       Code = "envelope-form"        // an envelope, but not in the one accepted byte form (see dsse.Normalize)
	NoSignature        Code = "no-signature"         // the envelope carries no signature
	SignatureInvalid   Code = "signature-invalid"    // no signature by a trusted key verifies
	ThresholdNotMet    Code = "threshold-not-met"    // fewer distinct trusted keys signed than the policy demands
	PayloadType        Code = "payload-type"         // signed, but not as an in-toto statement
	StatementMalformed Code = "statement-malformed"  // not a statement in strict JSON
	StatementType      Code = "statement-type"       // not a Statement v1
	PredicateType      Code = "predicate-type"       // a statement with an unknown predicate type
	PredicateMalformed Code = "predicate-malformed"  // a predicate with unknown, missing, duplicate or mistyped members
	SubjectMismatch    Code = "subject-mismatch"     // the subjects are not those of the predicate
	VerdictMismatch    Code = "verdict-mismatch"     // the verdict, the disposition or a check differs from what the observations show
	ManifestInvalid    Code = "manifest-invalid"     // a run manifest that contradicts itself
	OverrideInvalid    Code = "override-invalid"     // an override that waives what cannot be waived, or has no bounds
	NotEvidence        Code = "not-evidence"         // well-formed, but of a kind that no decision rests on
	Stale              Code = "stale"                // finished longer ago than the policy allows
	FromTheFuture      Code = "from-the-future"      // finished after now, beyond the allowed clock skew
	KeyOutsideValidity Code = "key-outside-validity" // finished at a time when too few of its keys were valid
)

// Codes of a held promotion.
const (
	PolicyInvalid         Code = "policy-invalid"          // the policy contradicts itself or lacks something
	PolicyExpired         Code = "policy-expired"          // the policy has expired and promotes nothing
	CandidateMalformed    Code = "candidate-malformed"     // the question does not name an image digest
	NoTrustedKey          Code = "no-trusted-key"          // every trusted key is revoked, or there is none
	ChallengeMissing      Code = "challenge-missing"       // the policy demands a challenge and the gate gave none
	NoEvidence            Code = "no-evidence"             // no document at all
	CandidateNotRehearsed Code = "candidate-not-rehearsed" // too few receipts of the candidate count on an architecture
	RequiredCellMissing   Code = "required-cell-missing"   // a scenario that the policy demands passed in too few runs on an architecture
	ReceiptMissing        Code = "receipt-missing"         // a manifest names a receipt that is not among the inputs
	ReceiptRefused        Code = "receipt-refused"         // a manifest names a receipt that is refused
	CellMismatch          Code = "cell-mismatch"           // a receipt does not belong to the cell under which the manifest names it
	CellContradicted      Code = "cell-contradicted"       // two trusted documents disagree on the receipt of a cell
	ManifestMissing       Code = "manifest-missing"        // a receipt, of any game, whose run has no manifest among the inputs
	ReceiptUnlisted       Code = "receipt-unlisted"        // a receipt, of any game, that the manifest of its run does not name
	ScenarioFailed        Code = "scenario-failed"         // the case did not go as its scenario expects
	ScenarioError         Code = "scenario-error"          // a fault outside the product: nothing is known
	ScenarioInconclusive  Code = "scenario-inconclusive"   // the evidence has a gap
	CandidateBlocked      Code = "candidate-blocked"       // the rehearsal blocked the candidate
	DispositionNotAllowed Code = "disposition-not-allowed" // promotable, but with a disposition that the policy does not allow
	ChallengeMismatch     Code = "challenge-mismatch"      // the run answers another challenge
	TemplateMismatch      Code = "template-mismatch"       // the candidate was rehearsed with another template revision
	BundleMismatch        Code = "bundle-mismatch"         // the candidate was rehearsed from another module bundle
	FixtureNotAllowed     Code = "fixture-not-allowed"     // the candidate is a game made for tests
	EmulatedNotAllowed    Code = "emulated-not-allowed"    // the run was on an emulated processor
	EgressNotAllowed      Code = "egress-not-allowed"      // the cluster of the run could reach out
	DepthTooShallow       Code = "depth-too-shallow"       // the run demanded less of a join than the policy does
)

// Error says why a document is refused. Callers find it with errors.AsType or errors.As.
type Error struct {
	Code   Code
	Detail string
}

// Error implements error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Detail }

// New returns an *Error with a formatted detail.
func New(code Code, format string, args ...any) error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of an error, or "" if it is nil or wraps no *Error.
func CodeOf(err error) Code {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}
