package receipts

import (
	"crypto"
	"sync"
)

// Document is a signed document that was verified and read. One of its pointers is set, by Kind.
type Document struct {
	Kind     string               // the predicate type
	Digest   string               // see Digest
	SignedBy []Key                // the distinct trusted keys whose signatures verify
	Receipt  *Receipt             // of kind ReceiptType
	Manifest *Manifest            // of kind ManifestType
	Override *Override            // of kind OverrideType
	Result   *TestResult          // of kind TestResultType
	Summary  *VerificationSummary // of kind VerificationSummaryType
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
func Open(raw []byte, keys []Key, threshold int) (*Document, error) {
	memory := payloads.Get().(*[]byte)
	defer payloads.Put(memory)
	payload, signedBy, err := verifyEnvelope(raw, *memory, keys, max(threshold, 1))
	if err != nil {
		return &Document{}, err
	}
	*memory = payload
	d := &Document{Digest: Digest(payload), SignedBy: signedBy}
	s, err := parseStatement(payload)
	if err != nil {
		return d, err
	}
	d.Kind = s.PredicateType
	return d, d.read(s)
}

func (d *Document) read(s statement) error {
	if err := s.readPredicate(); err != nil {
		return err
	}
	switch predicate := s.predicate.(type) {
	case *Receipt:
		d.Receipt = predicate
		if err := sameSubjects(s.Subject, predicate.Subjects()); err != nil {
			return err
		}
		return confirm(predicate)
	case *Manifest:
		d.Manifest = predicate
		if err := predicate.Validate(); err != nil {
			return err
		}
		return sameSubjects(s.Subject, predicate.Subjects())
	case *Override:
		d.Override = predicate
		if err := predicate.Validate(); err != nil {
			return err
		}
		return sameSubjects(s.Subject, predicate.Subjects())
	case *TestResult:
		d.Result = predicate
	case *VerificationSummary:
		d.Summary = predicate
	}
	return nil
}

// Subjects are the artifacts that a receipt vouches for or against.
func (r *Receipt) Subjects() []Subject {
	var subjects []Subject
	for _, artifact := range []struct{ name, digest string }{
		{"candidate-image", r.Candidate.Digest},
		{"candidate-platform", r.Candidate.PlatformDigest},
		{"candidate-template", r.Candidate.TemplateDigest},
		{"candidate-bundle", r.Candidate.Bundle},
	} {
		if IsDigest(artifact.digest) {
			subjects = append(subjects, subject(artifact.name, artifact.digest))
		}
	}
	if len(subjects) == 0 { // it ended before anything was known of the candidate
		subjects = append(subjects, subject("run", Digest([]byte(r.Run.ID))))
	}
	return subjects
}

// confirm says whether the receipt claims what its observations show.
func confirm(r *Receipt) error {
	checks, verdict, disposition := evaluate(r, true)
	if r.Verdict != verdict {
		return refuse(CodeVerdictMismatch, "verdict %q, the observations show %q", r.Verdict, verdict)
	}
	if r.Disposition != disposition {
		return refuse(CodeVerdictMismatch, "disposition %q, the observations show %q", r.Disposition, disposition)
	}
	if len(r.Checks) != len(checks) {
		return refuse(CodeVerdictMismatch, "%d checks, the observations give %d", len(r.Checks), len(checks))
	}
	for i, check := range checks {
		claimed := r.Checks[i]
		if claimed.OK && claimed.Want+claimed.Got != "" {
			return refuse(CodeVerdictMismatch, "check %q holds, and says more", claimed.Name)
		}
		if claimed.Name != check.Name || claimed.OK != check.OK {
			return refuse(CodeVerdictMismatch, "check %q is %t, the observations show %q as %t",
				claimed.Name, claimed.OK, check.Name, check.OK)
		}
	}
	return nil
}

// Complete returns the receipt as it is signed: in the form in which it reads back, with the checks, the verdict
// and the disposition that its observations show.
func Complete(r Receipt) Receipt {
	r = normalized(r)
	r.Checks, r.Verdict, r.Disposition = Evaluate(r)
	for i, check := range r.Checks {
		if check.OK {
			r.Checks[i] = Check{Name: check.Name, OK: true}
		}
	}
	return normalized(r)
}

// SignReceipt completes a receipt and signs it. It returns the envelope and the receipt's digest. The error is a
// *Refusal where the receipt is beyond the limits of its readers, such as strings above 64 KiB.
func SignReceipt(r Receipt, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	r = Complete(r)
	return sign(ReceiptType, r.Subjects(), r, signers)
}

// sign signs a statement, once it is certain that it will be read: evidence that nobody can read is worse than an error.
func sign(predicateType string, subjects []Subject, predicate any, signers []crypto.Signer) ([]byte, string, error) {
	payload, err := statePayload(predicateType, subjects, predicate)
	if err != nil {
		return nil, "", err
	}
	s, err := parseStatement(payload)
	if err != nil {
		return nil, "", err
	}
	if err := new(Document).read(s); err != nil {
		return nil, "", err
	}
	raw, err := seal(payload, signers...)
	if err != nil {
		return nil, "", err
	}
	return raw, Digest(payload), nil
}
