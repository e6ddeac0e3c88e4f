package statement

import (
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// MaxOverride is the longest time for which an override may apply.
const MaxOverride = 31 * 24 * time.Hour

// Override makes a gate waive some demands of its policy, for one candidate and a limited time. A named person takes
// responsibility for it. It is signed with a separate kind of key, and every decision that rests on it shows it.
type Override struct {
	Candidate string         `json:"candidate"` // image digest, as the question names it
	Waives    []refusal.Code `json:"waives"`    // see Waivable
	By        string         `json:"by"`        // who takes responsibility
	Reason    string         `json:"reason"`
	IssuedAt  time.Time      `json:"issuedAt"`
	ExpiresAt time.Time      `json:"expiresAt"`        // at most MaxOverride later
	Policy    string         `json:"policy,omitempty"` // digest of the only policy that it applies to; it applies to any policy if absent
}

// Waivable returns the codes that an override can waive: demands of a policy. An override cannot waive a code that says
// that evidence is missing, failed, forged or against the candidate.
func Waivable() []refusal.Code {
	return []refusal.Code{refusal.DispositionNotAllowed, refusal.RequiredCellMissing, refusal.FixtureNotAllowed, refusal.EmulatedNotAllowed,
		refusal.EgressNotAllowed, refusal.DepthTooShallow}
}

// Validate refuses an override that waives what cannot be waived, or that has no bounds.
func (o *Override) Validate() error {
	switch {
	case !IsDigest(o.Candidate):
		return refusal.New(refusal.OverrideInvalid, "candidate %q is not an image digest (sha256:<64 hex digits>)", o.Candidate)
	case o.By == "":
		return refusal.New(refusal.OverrideInvalid, "nobody answers for it: say who it is by")
	case o.Reason == "":
		return refusal.New(refusal.OverrideInvalid, "no reason is given")
	case len(o.Waives) == 0:
		return refusal.New(refusal.OverrideInvalid, "it waives nothing")
	case o.Policy != "" && !IsDigest(o.Policy):
		return refusal.New(refusal.OverrideInvalid, "policy %q is not a digest", o.Policy)
	case o.IssuedAt.IsZero() || !o.ExpiresAt.After(o.IssuedAt) || o.ExpiresAt.Sub(o.IssuedAt) > MaxOverride:
		return refusal.New(refusal.OverrideInvalid, "it lasts for %s: want a time above none, and at most %s", o.ExpiresAt.Sub(o.IssuedAt), MaxOverride)
	}
	for i, code := range o.Waives {
		if !slices.Contains(Waivable(), code) || slices.Contains(o.Waives[:i], code) {
			return refusal.New(refusal.OverrideInvalid, "waives[%d] %q: what can be waived, each once, are %v", i, code, Waivable())
		}
	}
	return nil
}
