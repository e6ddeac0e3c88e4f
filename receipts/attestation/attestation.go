// Package attestation signs documents, and verifies and reads signed ones: a statement in an envelope. It accepts a receipt
// only if its claims agree with its observations.
package attestation

import (
	"sync"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Document is a verified and decoded document. Kind says which one of its pointers is set.
type Document struct {
	Kind     string                         // the predicate type
	Digest   string                         // see statement.Digest
	SignedBy []dsse.Key                     // the distinct trusted keys whose signatures verify
	Receipt  *statement.Receipt             // of kind ReceiptType
	Manifest *statement.Manifest            // of kind ManifestType
	Override *statement.Override            // of kind OverrideType
	Result   *statement.TestResult          // of kind TestResultType
	Summary  *statement.VerificationSummary // of kind VerificationSummaryType
}

// payloads holds memory for payloads. Documents do not refer to it.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

// Open verifies an envelope and reads the document in it. At least threshold of the trusted keys must have signed the
// envelope; a threshold below 1 counts as 1. Open reads nothing of the document before the signatures verify, and it reads
// exactly the bytes that it verified. It evaluates a receipt again and refuses one whose claims differ.
//
// The error is a *refusal.Error. Even then the Document holds what was known before the refusal: nothing if no signature
// verifies; otherwise its digest and, if it could be read, its kind. Open checks neither the age of a document nor the
// validity period of its keys: package gate does.
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
