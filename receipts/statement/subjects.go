package statement

import (
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// Subjects returns the artifacts that a receipt is about: the candidate's.
func (r *Receipt) Subjects() []Subject {
	var subjects []Subject
	for _, artifact := range []struct{ name, digest string }{
		{"candidate-image", r.Candidate.Digest},
		{"candidate-platform", r.Candidate.PlatformDigest},
		{"candidate-template", r.Candidate.TemplateDigest},
		{"candidate-bundle", r.Candidate.Bundle},
	} {
		if IsDigest(artifact.digest) {
			subjects = append(subjects, NewSubject(artifact.name, artifact.digest))
		}
	}
	if len(subjects) == 0 { // the rehearsal ended before it knew the candidate
		subjects = append(subjects, NewSubject("run", Digest([]byte(r.Run.ID))))
	}
	return subjects
}

// Subjects returns the receipts, and the candidates of the cells that have no receipt.
func (m *Manifest) Subjects() []Subject {
	subjects := make([]Subject, 0, len(m.Cells))
	for _, cell := range m.Cells {
		if cell.Receipt != "" {
			subjects = append(subjects, NewSubject(cell.File, cell.Receipt))
		} else {
			subjects = append(subjects, NewSubject(cell.File, cell.Candidate))
		}
	}
	return subjects
}

// Subjects returns the candidate.
func (o *Override) Subjects() []Subject {
	return []Subject{NewSubject("candidate-image", o.Candidate)}
}

// Subject is an artifact that a statement is about. The digest identifies it; the name is for people.
type Subject struct {
	Name   string    `json:"name"`
	Digest DigestSet `json:"digest"`
}

// DigestSet holds digests by algorithm. SHA-256 is the only algorithm that counts.
type DigestSet struct {
	SHA256 string `json:"sha256"` // lower-case hex, without a prefix
}

// NewSubject returns the subject of a digest in the form "sha256:<hex>".
func NewSubject(name, digest string) Subject {
	return Subject{Name: name, Digest: DigestSet{SHA256: strings.TrimPrefix(digest, "sha256:")}}
}

// SameSubjects refuses a statement that is not about exactly the wanted subjects, in any order.
func SameSubjects(got, want []Subject) error {
	if slices.Equal(got, want) {
		return nil
	}
	byDigest := func(a, b Subject) int { return strings.Compare(a.Digest.SHA256+a.Name, b.Digest.SHA256+b.Name) }
	if !slices.Equal(slices.SortedFunc(slices.Values(got), byDigest), slices.SortedFunc(slices.Values(want), byDigest)) {
		return refusal.New(refusal.SubjectMismatch, "the subjects are not those of the predicate")
	}
	return nil
}

// ResourceDescriptor names an artifact by digest.
type ResourceDescriptor struct {
	Name   string    `json:"name,omitempty"`
	URI    string    `json:"uri,omitempty"`
	Digest DigestSet `json:"digest"`
}
