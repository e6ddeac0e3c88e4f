// Package statement holds the form of everything that is signed: in-toto statements, and the receipts, run manifests,
// overrides, test results and verification summaries that are their predicates.
//
// It says what a document may look like. What the observations in a receipt show is for package evaluation, and whether
// a signature counts for package attestation.
package statement

import (
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// StatementType is the only type of in-toto statement that is read.
const StatementType = "https://in-toto.io/Statement/v1"

// Predicate types of this package's documents.
const (
	ReceiptType  = "https://github.com/GameplanePanel/rehearsal/receipt/v1"
	ManifestType = "https://github.com/GameplanePanel/rehearsal/run-manifest/v1"
	OverrideType = "https://github.com/GameplanePanel/rehearsal/override/v1"
)

// maxSubjects bounds the subjects of one statement; a manifest has one for each receipt.
const MaxSubjects = 16384

// statement is an in-toto Statement v1.
type Statement struct {
	Type          string         `json:"_type"`
	Subject       []Subject      `json:"subject"`
	PredicateType string         `json:"predicateType"`
	Predicate     strictjson.Raw `json:"predicate"` // "" where it was read into predicate at once
	Content       any
}

// statePayload writes the statement about a predicate.
func Marshal(predicateType string, subjects []Subject, predicate any) ([]byte, error) {
	return strictjson.Encode(struct {
		Type          string    `json:"_type"`
		Subject       []Subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     any       `json:"predicate"`
	}{StatementType, subjects, predicateType, predicate})
}

// parseStatement reads the bytes that were verified. A predicate whose type stands before it, and is one of ours, is
// read in the same pass.
func Parse(payload []byte) (Statement, error) {
	var s Statement
	code := refusal.StatementMalformed
	options := strictjson.Options{Choose: func() any {
		if s.Content = newPredicate(s.PredicateType); s.Content != nil {
			code = refusal.PredicateMalformed
		}
		return s.Content
	}}
	if err := options.Decode(string(payload), &s); err != nil {
		return Statement{}, refusal.New(code, "%v", err)
	}
	if s.Type != StatementType {
		return Statement{}, refusal.New(refusal.StatementType, "%q, want %q", s.Type, StatementType)
	}
	if n := len(s.Subject); n == 0 || n > MaxSubjects {
		return Statement{}, refusal.New(refusal.StatementMalformed, "%d subjects, want 1 to %d", n, MaxSubjects)
	}
	for i, subject := range s.Subject {
		if !IsDigest("sha256:" + subject.Digest.SHA256) {
			return Statement{}, refusal.New(refusal.StatementMalformed, "subject[%d]: sha256 is not 64 lower-case hex digits", i)
		}
	}
	return s, nil
}

// newPredicate returns what a predicate of this type is read into, nil where the type is not ours.
func newPredicate(predicateType string) any {
	switch predicateType {
	case ReceiptType:
		return new(Receipt)
	case ManifestType:
		return new(Manifest)
	case OverrideType:
		return new(Override)
	case TestResultType:
		return new(TestResult)
	case VerificationSummaryType:
		return new(VerificationSummary)
	}
	return nil
}

// readPredicate reads a predicate that was passed over, because its type stood behind it.
func (s *Statement) ReadPredicate() error {
	if s.Content != nil {
		return nil
	}
	if s.Content = newPredicate(s.PredicateType); s.Content == nil {
		return refusal.New(refusal.PredicateType, "%q is not a document of a rehearsal", s.PredicateType)
	}
	if err := strictjson.Decode(string(s.Predicate), s.Content); err != nil {
		return refusal.New(refusal.PredicateMalformed, "%v", err)
	}
	return nil
}
