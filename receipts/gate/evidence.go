package gate

import (
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// evidence holds receipts and manifests by digest.
type evidence struct {
	receipts  map[string]*record
	manifests map[string]*statement.Manifest
}

func newEvidence() evidence {
	return evidence{make(map[string]*record), make(map[string]*statement.Manifest)}
}

func (e evidence) add(document *attestation.Document) {
	switch {
	case document.Receipt != nil:
		e.receipts[document.Digest] = newRecord(document.Digest, document.Receipt)
	case document.Manifest != nil:
		e.manifests[document.Digest] = document.Manifest
	}
}

// record holds what a decision needs of a receipt. Its size does not grow with that of the receipt.
type record struct {
	statement.Header
	digest      string
	cluster     string
	template    string
	bundle      string
	depth       string
	verdict     statement.Verdict
	disposition statement.Disposition
	failing     string // names of the failing checks
	fixture     bool
	emulated    bool
	openEgress  bool
}

// open verifies a document with the keys that may sign its kind, and checks its time.
func (a *admission) open(raw []byte) (*attestation.Document, error) {
	document, err := attestation.Open(raw, a.receiptKeys, a.policy.Threshold)
	if refusal.CodeOf(err) == refusal.SignatureInvalid && len(a.overrideKeys) > 0 {
		if override, refused := a.openOverride(raw); override.Digest != "" || refusal.CodeOf(refused) != refusal.SignatureInvalid {
			return override, refused
		}
	}
	switch {
	case err != nil:
		return document, err
	case document.Receipt != nil:
		return document, a.checkTime(document, document.Receipt.Run.FinishedAt)
	case document.Manifest != nil:
		return document, a.checkTime(document, document.Manifest.FinishedAt)
	case document.Override != nil:
		return document, refusal.New(refusal.OverrideInvalid, "signed with a key that signs receipts: want one of overrideKeys")
	}
	return document, refusal.New(refusal.NotEvidence, "a decision does not rest on it")
}

// checkTime refuses a document that is not fresh, or whose keys were not valid when it was finished.
func (a *admission) checkTime(document *attestation.Document, finished time.Time) error {
	switch {
	case finished.After(a.now.Add(time.Duration(a.policy.ClockSkew))):
		if countValid(a.trust.Receipts, document.SignedBy, a.now) < a.policy.Threshold {
			break // keys that are invalid now cannot hold a promotion with a future time
		}
		return refusal.New(refusal.FromTheFuture, "finished at %s", finished.Format(time.RFC3339))
	case finished.Before(a.now.Add(-time.Duration(a.policy.MaxAge))):
		return refusal.New(refusal.Stale, "finished at %s, more than %s ago", finished.Format(time.RFC3339), time.Duration(a.policy.MaxAge))
	case countValid(a.trust.Receipts, document.SignedBy, finished) >= a.policy.Threshold:
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
	// Strings of a receipt share its memory. A record must not hold on to that memory.
	clone := strings.Clone
	return &record{
		Header:      r.Header(),
		digest:      digest,
		cluster:     clone(r.Environment.ClusterUID),
		template:    clone(r.Candidate.TemplateDigest),
		bundle:      clone(r.Candidate.Bundle),
		depth:       clone(r.JoinDepth()),
		verdict:     statement.Verdict(clone(string(r.Verdict))),
		disposition: statement.Disposition(clone(string(r.Disposition))),
		failing:     strings.Join(failing, ", "),
		fixture:     r.Candidate.Fixture,
		emulated:    r.Environment.Emulated,
		openEgress:  r.Environment.Egress != statement.EgressClosed,
	}
}
