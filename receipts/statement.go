package receipts

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
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
const maxSubjects = 16384

// statement is an in-toto Statement v1.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     rawJSON   `json:"predicate"` // "" where it was read into predicate at once
	predicate     any
}

// Subject is an artifact that a statement is about. Subjects are matched by digest; names are for people.
type Subject struct {
	Name   string    `json:"name"`
	Digest DigestSet `json:"digest"`
}

// DigestSet holds the one algorithm that is considered secure here.
type DigestSet struct {
	SHA256 string `json:"sha256"` // lower-case hex, without a prefix
}

// Digest is the identity of a signed document: the sha256 of its payload, as "sha256:<hex>". It stays the same
// when a signature is added; the digest of the file does not.
func Digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// IsDigest says whether s is a digest in the form "sha256:<64 lower-case hex digits>".
func IsDigest(s string) bool {
	const prefix = "sha256:"
	if len(s) != len(prefix)+64 || !strings.HasPrefix(s, prefix) {
		return false
	}
	ok := true
	for i := len(prefix); i < len(prefix)+64; i++ {
		ok = ok && lowerHex[s[i]]
	}
	return ok
}

var lowerHex = func() (hex [256]bool) {
	for _, c := range "0123456789abcdef" {
		hex[c] = true
	}
	return hex
}()

func subject(name, digest string) Subject {
	return Subject{Name: name, Digest: DigestSet{SHA256: strings.TrimPrefix(digest, "sha256:")}}
}

// statePayload writes the statement about a predicate.
func statePayload(predicateType string, subjects []Subject, predicate any) ([]byte, error) {
	return encode(struct {
		Type          string    `json:"_type"`
		Subject       []Subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     any       `json:"predicate"`
	}{StatementType, subjects, predicateType, predicate})
}

// parseStatement reads the bytes that were verified. A predicate whose type stands before it, and is one of ours, is
// read in the same pass.
func parseStatement(payload []byte) (statement, error) {
	var s statement
	code := CodeStatementMalformed
	options := DecodeOptions{Choose: func() any {
		if s.predicate = newPredicate(s.PredicateType); s.predicate != nil {
			code = CodePredicateMalformed
		}
		return s.predicate
	}}
	if err := options.Decode(string(payload), &s); err != nil {
		return statement{}, refuse(code, "%v", err)
	}
	if s.Type != StatementType {
		return statement{}, refuse(CodeStatementType, "%q, want %q", s.Type, StatementType)
	}
	if n := len(s.Subject); n == 0 || n > maxSubjects {
		return statement{}, refuse(CodeStatementMalformed, "%d subjects, want 1 to %d", n, maxSubjects)
	}
	for i, subject := range s.Subject {
		if !IsDigest("sha256:" + subject.Digest.SHA256) {
			return statement{}, refuse(CodeStatementMalformed, "subject[%d]: sha256 is not 64 lower-case hex digits", i)
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
func (s *statement) readPredicate() error {
	if s.predicate != nil {
		return nil
	}
	if s.predicate = newPredicate(s.PredicateType); s.predicate == nil {
		return refuse(CodePredicateType, "%q is not a document of a rehearsal", s.PredicateType)
	}
	if err := decodeStrict(string(s.Predicate), s.predicate); err != nil {
		return refuse(CodePredicateMalformed, "%v", err)
	}
	return nil
}

// sameSubjects wants a statement to be about exactly these artifacts, in any order.
func sameSubjects(got, want []Subject) error {
	if slices.Equal(got, want) {
		return nil
	}
	byDigest := func(a, b Subject) int { return strings.Compare(a.Digest.SHA256+a.Name, b.Digest.SHA256+b.Name) }
	if !slices.Equal(slices.SortedFunc(slices.Values(got), byDigest), slices.SortedFunc(slices.Values(want), byDigest)) {
		return refuse(CodeSubjectMismatch, "the subjects are not those of the predicate")
	}
	return nil
}

// normalized returns a copy that reads back exactly as it is written.
func normalized[T any](document T) T {
	normalize(reflect.ValueOf(&document).Elem())
	return document
}
