package gate

import (
	"cmp"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// OverrideReport is an override that applies to the candidate.
type OverrideReport struct {
	Digest    string         `json:"digest"`
	By        string         `json:"by"`
	Reason    string         `json:"reason"`
	ExpiresAt time.Time      `json:"expiresAt"`
	Waives    []refusal.Code `json:"waives"`
	Used      []refusal.Code `json:"used"` // those that came up, be it that the decision needs them or not
}

// openOverride verifies an override. A key that signs overrides signs nothing else.
func (d *admission) openOverride(raw []byte) (*attestation.Document, error) {
	document, err := attestation.Open(raw, d.overrideKeys, 1)
	if err != nil {
		return document, err
	}
	if document.Override == nil {
		return &attestation.Document{}, refusal.New(refusal.SignatureInvalid, "signed with a key that signs overrides only")
	}
	o := document.Override
	switch {
	case o.IssuedAt.After(d.now.Add(time.Duration(d.policy.ClockSkew))):
		err = refusal.New(refusal.FromTheFuture, "issued at %s", o.IssuedAt.Format(time.RFC3339))
	case d.now.After(o.ExpiresAt):
		err = refusal.New(refusal.Stale, "expired at %s", o.ExpiresAt.Format(time.RFC3339))
	case signedInTime(d.trust.Overrides, document.SignedBy, o.IssuedAt) == 0:
		err = refusal.New(refusal.KeyOutsideValidity, "issued at %s, outside the validity of its key", o.IssuedAt.Format(time.RFC3339))
	}
	return document, err
}

// applyOverrides finds the codes that are waived for the candidate.
func (d *admission) applyOverrides() {
	for digest, o := range d.overrides {
		if !d.applies(o) {
			continue
		}
		for _, code := range o.Waives {
			d.waived[code] = append(d.waived[code], digest)
		}
	}
}

func (d *admission) applies(o *statement.Override) bool {
	return o.Candidate == d.question.Candidate && (o.Policy == "" || o.Policy == d.policy.Digest())
}

// waives says whether a code is waived, and remembers that it had to be.
func (d *admission) waives(code refusal.Code) bool {
	for _, digest := range d.waived[code] {
		if !slices.Contains(d.used[digest], code) {
			d.used[digest] = append(d.used[digest], code)
		}
	}
	return len(d.waived[code]) > 0
}

func (d *admission) overrideReports() []OverrideReport {
	var reports []OverrideReport
	for digest, o := range d.overrides {
		if d.applies(o) {
			used := slices.Sorted(slices.Values(d.used[digest]))
			reports = append(reports, OverrideReport{
				Digest: digest, By: o.By, Reason: o.Reason, ExpiresAt: o.ExpiresAt, Waives: o.Waives, Used: append([]refusal.Code{}, used...),
			})
		}
	}
	slices.SortFunc(reports, func(a, b OverrideReport) int { return cmp.Compare(a.Digest, b.Digest) })
	return reports
}
