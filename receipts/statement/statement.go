// Package statement defines the form of every signed document: in-toto statements, and their predicates, which are
// receipts, run manifests, overrides, test results and verification summaries.
//
// The package says what a document may look like. Package evaluation says what the observations of a receipt show, and
// package attestation says whether a signature counts.
package statement

import (
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// StatementType is the only type of in-toto statement that Parse accepts.
const StatementType = "https://in-toto.io/Statement/v1"

// Predicate types that Rehearsal defines.
const (
	ReceiptType  = "https://github.com/GameplanePanel/rehearsal/receipt/v1"
	ManifestType = "https://github.com/GameplanePanel/rehearsal/run-manifest/v1"
	OverrideType = "https://github.com/GameplanePanel/rehearsal/override/v1"
)

// MaxSubjects bounds the subjects of one statement. A manifest has one subject for each cell.
const MaxSubjects = 16384

// Statement is an in-toto Statement v1.
type Statement struct {
	Type          string         `json:"_type"`
	Subject       []Subject      `json:"subject"`
	PredicateType string         `json:"predicateType"`
	Predicate     strictjson.Raw `json:"predicate"` // the text of the predicate, "" if Parse decoded it into Content
	Content       any            // the decoded predicate: *Receipt, *Manifest, *Override, *TestResult or *VerificationSummary
}

// Marshal encodes the statement of a predicate about subjects: the payload of an envelope.
func Marshal(predicateType string, subjects []Subject, predicate any) ([]byte, error) {
	return strictjson.Encode(struct {
		Type          string    `json:"_type"`
		Subject       []Subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     any       `json:"predicate"`
	}{StatementType, subjects, predicateType, predicate})
}

// Parse reads a verified payload in strict JSON. It decodes the predicate in the same pass if a known predicateType
// comes first; otherwise ReadPredicate does.
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

// newPredicate returns the value that a predicate of this type is decoded into, or nil if the type is unknown.
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

// ReadPredicate decodes a predicate that Parse could not decode, because its type comes after it.
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
