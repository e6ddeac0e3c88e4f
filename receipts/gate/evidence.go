package gate

import (
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// evidence are receipts and manifests, by digest.
type evidence struct {
	receipts  map[string]*record
	manifests map[string]*statement.Manifest
}

func newEvidence() evidence {
	return evidence{make(map[string]*record), make(map[string]*statement.Manifest)}
}

func (e evidence) keep(document *attestation.Document) {
	switch {
	case document.Receipt != nil:
		e.receipts[document.Digest] = newRecord(document.Digest, document.Receipt)
	case document.Manifest != nil:
		e.manifests[document.Digest] = document.Manifest
	}
}

// record is what is kept of a receipt: its size does not depend on the receipt's.
type record struct {
	statement.Header
	digest      string
	cluster     string
	template    string
	bundle      string
	depth       string
	verdict     statement.Verdict
	disposition statement.Disposition
	failing     string // names of the checks that do not hold
	fixture     bool
	emulated    bool
	openEgress  bool
}

// open verifies a document with the keys that may sign its kind, and wants it to be in time.
func (d *admission) open(raw []byte) (*attestation.Document, error) {
	document, err := attestation.Open(raw, d.receiptKeys, d.policy.Threshold)
	if refusal.CodeOf(err) == refusal.SignatureInvalid && len(d.overrideKeys) > 0 {
		if override, refused := d.openOverride(raw); override.Digest != "" || refusal.CodeOf(refused) != refusal.SignatureInvalid {
			return override, refused
		}
	}
	switch {
	case err != nil:
		return document, err
	case document.Receipt != nil:
		return document, d.timely(document, document.Receipt.Run.FinishedAt)
	case document.Manifest != nil:
		return document, d.timely(document, document.Manifest.FinishedAt)
	case document.Override != nil:
		return document, refusal.New(refusal.OverrideInvalid, "signed with a key that signs receipts: want one of overrideKeys")
	}
	return document, refusal.New(refusal.NotEvidence, "a decision does not rest on it")
}

// timely wants a document to be fresh, and its keys to have been valid when it was finished.
func (d *admission) timely(document *attestation.Document, finished time.Time) error {
	switch {
	case finished.After(d.now.Add(time.Duration(d.policy.ClockSkew))):
		if signedInTime(d.trust.Receipts, document.SignedBy, d.now) < d.policy.Threshold {
			break // nobody who may sign now says so
		}
		return refusal.New(refusal.FromTheFuture, "finished at %s", finished.Format(time.RFC3339))
	case finished.Before(d.now.Add(-time.Duration(d.policy.MaxAge))):
		return refusal.New(refusal.Stale, "finished at %s, more than %s ago", finished.Format(time.RFC3339), time.Duration(d.policy.MaxAge))
	case signedInTime(d.trust.Receipts, document.SignedBy, finished) >= d.policy.Threshold:
		return nil
	}
	return refusal.New(refusal.KeyOutsideValidity, "finished at %s, outside the validity of its keys", finished.Format(time.RFC3339))
}

func newRecord(digest string, r *statement.Receipt) *record {
	var failing []string
	for _, check := range r.Checks {
		if !check.OK {
			failing = append(failing, check.Name)
		}
	}
	// Strings of a receipt share its memory; what is kept must not hold on to it.
	own := strings.Clone
	return &record{
		Header:      r.Header(),
		digest:      digest,
		cluster:     own(r.Environment.ClusterUID),
		template:    own(r.Candidate.TemplateDigest),
		bundle:      own(r.Candidate.Bundle),
		depth:       own(r.JoinDepth()),
		verdict:     statement.Verdict(own(string(r.Verdict))),
		disposition: statement.Disposition(own(string(r.Disposition))),
		failing:     strings.Join(failing, ", "),
		fixture:     r.Candidate.Fixture,
		emulated:    r.Environment.Emulated,
		openEgress:  r.Environment.Egress != statement.EgressClosed,
	}
}
