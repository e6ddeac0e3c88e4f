package gate

import (
	"cmp"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// OverrideReport describes an override that applies to the candidate.
type OverrideReport struct {
	Digest    string         `json:"digest"`
	By        string         `json:"by"`
	Reason    string         `json:"reason"`
	ExpiresAt time.Time      `json:"expiresAt"`
	Waives    []refusal.Code `json:"waives"`
	Used      []refusal.Code `json:"used"` // the codes that came up, whether the decision depends on them or not
}

// openOverride verifies an override. A key that signs overrides may sign nothing else.
func (a *admission) openOverride(raw []byte) (*attestation.Document, error) {
	document, err := attestation.Open(raw, a.overrideKeys, 1)
	if err != nil {
		return document, err
	}
	if document.Override == nil {
		return &attestation.Document{}, refusal.New(refusal.SignatureInvalid, "signed with a key that signs overrides only")
	}
	o := document.Override
	switch {
	case o.IssuedAt.After(a.now.Add(time.Duration(a.policy.ClockSkew))):
		err = refusal.New(refusal.FromTheFuture, "issued at %s", o.IssuedAt.Format(time.RFC3339))
	case a.now.After(o.ExpiresAt):
		err = refusal.New(refusal.Stale, "expired at %s", o.ExpiresAt.Format(time.RFC3339))
	case countValid(a.trust.Overrides, document.SignedBy, o.IssuedAt) == 0:
		err = refusal.New(refusal.KeyOutsideValidity, "issued at %s, outside the validity of its key", o.IssuedAt.Format(time.RFC3339))
	}
	return document, err
}

// applyOverrides collects the codes that overrides waive for the candidate.
func (a *admission) applyOverrides() {
	for digest, o := range a.overrides {
		if !a.applies(o) {
			continue
		}
		for _, code := range o.Waives {
			a.waived[code] = append(a.waived[code], digest)
		}
	}
}

func (a *admission) applies(o *statement.Override) bool {
	return o.Candidate == a.question.Candidate && (o.Policy == "" || o.Policy == a.policy.Digest())
}

// waives says whether an override waives a code, and records that the code came up.
func (a *admission) waives(code refusal.Code) bool {
	for _, digest := range a.waived[code] {
		if !slices.Contains(a.used[digest], code) {
			a.used[digest] = append(a.used[digest], code)
		}
	}
	return len(a.waived[code]) > 0
}

func (a *admission) overrideReports() []OverrideReport {
	var reports []OverrideReport
	for digest, o := range a.overrides {
		if a.applies(o) {
			used := slices.Sorted(slices.Values(a.used[digest]))
			reports = append(reports, OverrideReport{
				Digest: digest, By: o.By, Reason: o.Reason, ExpiresAt: o.ExpiresAt, Waives: o.Waives, Used: append([]refusal.Code{}, used...),
			})
		}
	}
	slices.SortFunc(reports, func(a, b OverrideReport) int { return cmp.Compare(a.Digest, b.Digest) })
	return reports
}
