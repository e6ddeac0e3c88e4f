// Package attestation makes signed documents, and verifies and reads them: a statement in an envelope, whose receipt says
// no more than its observations show.
package attestation

import (
	"sync"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Document is a signed document that was verified and read. One of its pointers is set, by Kind.
type Document struct {
	Kind     string                         // the predicate type
	Digest   string                         // see Digest
	SignedBy []dsse.Key                     // the distinct trusted keys whose signatures verify
	Receipt  *statement.Receipt             // of kind ReceiptType
	Manifest *statement.Manifest            // of kind ManifestType
	Override *statement.Override            // of kind OverrideType
	Result   *statement.TestResult          // of kind TestResultType
	Summary  *statement.VerificationSummary // of kind VerificationSummaryType
}

// payloads is memory for payloads, which documents do not hold on to.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

// Open verifies an envelope against trusted keys, at least threshold of which must have signed it, and reads the
// document in it. Nothing of the document is looked at before the signatures verify, and what is read are exactly
// the bytes that were signed. A receipt's verdict is derived anew and must agree with what it claims.
//
// The error is a *Refusal. The Document then holds what was known before the refusal: nothing where no signature
// verifies, else its digest and, where it could be read, its kind. A threshold below 1 counts as 1. Open judges
// neither age nor key validity: Decide does.
func Open(raw []byte, keys []dsse.Key, threshold int) (*Document, error) {
	memory := payloads.Get().(*[]byte)
	defer payloads.Put(memory)
	payload, signedBy, err := dsse.Verify(raw, *memory, keys, max(threshold, 1))
	if err != nil {
		return &Document{}, err
	}
	*memory = payload
	d := &Document{Digest: statement.Digest(payload), SignedBy: signedBy}
	s, err := statement.Parse(payload)
	if err != nil {
		return d, err
	}
	d.Kind = s.PredicateType
	return d, d.read(s)
}

func (d *Document) read(s statement.Statement) error {
	if err := s.ReadPredicate(); err != nil {
		return err
	}
	switch predicate := s.Content.(type) {
	case *statement.Receipt:
		d.Receipt = predicate
		if err := statement.SameSubjects(s.Subject, predicate.Subjects()); err != nil {
			return err
		}
		return evaluation.Confirm(predicate)
	case *statement.Manifest:
		d.Manifest = predicate
		if err := predicate.Validate(); err != nil {
			return err
		}
		return statement.SameSubjects(s.Subject, predicate.Subjects())
	case *statement.Override:
		d.Override = predicate
		if err := predicate.Validate(); err != nil {
			return err
		}
		return statement.SameSubjects(s.Subject, predicate.Subjects())
	case *statement.TestResult:
		d.Result = predicate
	case *statement.VerificationSummary:
		d.Summary = predicate
	}
	return nil
}
