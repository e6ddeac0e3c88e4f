package receipts

import (
	"cmp"
	"crypto"
	"slices"
	"time"
)

// MaxOverride is the longest time for which an override may hold.
const MaxOverride = 31 * 24 * time.Hour

// Override lets a gate pass over some demands of its policy for one candidate, for a time, on somebody's word. It is
// signed with a key of its own kind, and shown in every decision that rests on it.
type Override struct {
	Candidate string    `json:"candidate"` // image digest, as the question names it
	Waives    []Code    `json:"waives"`    // see Waivable
	By        string    `json:"by"`        // who answers for it
	Reason    string    `json:"reason"`
	IssuedAt  time.Time `json:"issuedAt"`
	ExpiresAt time.Time `json:"expiresAt"`        // at most MaxOverride later
	Policy    string    `json:"policy,omitempty"` // digest of the only policy that it is for; any where not given
}

// Waivable are the codes that an override can waive: demands of a policy, which somebody may weigh otherwise. What
// says that evidence is missing, failed, forged or against the candidate cannot be waived.
func Waivable() []Code {
	return []Code{CodeDispositionDenied, CodeRequiredCell, CodeFixtureNotAllowed, CodeEmulatedNotAllowed,
		CodeOpenEgressNotAllowed, CodeDepthTooShallow}
}

// SignOverride signs an override. It returns the envelope and the override's digest. An override without bounds, or
// of what cannot be waived, is refused with CodeOverrideInvalid.
func SignOverride(o Override, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	o = normalized(o)
	if err := o.Validate(); err != nil {
		return nil, "", err
	}
	return sign(OverrideType, o.Subjects(), o, signers)
}

func (o *Override) Subjects() []Subject {
	return []Subject{subject("candidate-image", o.Candidate)}
}

func (o *Override) Validate() error {
	switch {
	case !IsDigest(o.Candidate):
		return refuse(CodeOverrideInvalid, "candidate %q is not an image digest (sha256:<64 hex digits>)", o.Candidate)
	case o.By == "":
		return refuse(CodeOverrideInvalid, "nobody answers for it: say who it is by")
	case o.Reason == "":
		return refuse(CodeOverrideInvalid, "no reason is given")
	case len(o.Waives) == 0:
		return refuse(CodeOverrideInvalid, "it waives nothing")
	case o.Policy != "" && !IsDigest(o.Policy):
		return refuse(CodeOverrideInvalid, "policy %q is not a digest", o.Policy)
	case o.IssuedAt.IsZero() || !o.ExpiresAt.After(o.IssuedAt) || o.ExpiresAt.Sub(o.IssuedAt) > MaxOverride:
		return refuse(CodeOverrideInvalid, "it lasts for %s: want a time above none, and at most %s", o.ExpiresAt.Sub(o.IssuedAt), MaxOverride)
	}
	for i, code := range o.Waives {
		if !slices.Contains(Waivable(), code) || slices.Contains(o.Waives[:i], code) {
			return refuse(CodeOverrideInvalid, "waives[%d] %q: what can be waived, each once, are %v", i, code, Waivable())
		}
	}
	return nil
}

// OverrideReport is an override that applies to the candidate.
type OverrideReport struct {
	Digest    string    `json:"digest"`
	By        string    `json:"by"`
	Reason    string    `json:"reason"`
	ExpiresAt time.Time `json:"expiresAt"`
	Waives    []Code    `json:"waives"`
	Used      []Code    `json:"used"` // those that came up, be it that the decision needs them or not
}

// openOverride verifies an override. A key that signs overrides signs nothing else.
func (d *docket) openOverride(raw []byte) (*Document, error) {
	document, err := Open(raw, d.overrideKeys, 1)
	if err != nil {
		return document, err
	}
	if document.Override == nil {
		return &Document{}, refuse(CodeSignatureInvalid, "signed with a key that signs overrides only")
	}
	o := document.Override
	switch {
	case o.IssuedAt.After(d.now.Add(time.Duration(d.policy.ClockSkew))):
		err = refuse(CodeFromFuture, "issued at %s", o.IssuedAt.Format(time.RFC3339))
	case d.now.After(o.ExpiresAt):
		err = refuse(CodeStale, "expired at %s", o.ExpiresAt.Format(time.RFC3339))
	case signedInTime(d.trust.Overrides, document.SignedBy, o.IssuedAt) == 0:
		err = refuse(CodeKeyWindow, "issued at %s, outside the validity of its key", o.IssuedAt.Format(time.RFC3339))
	}
	return document, err
}

// applyOverrides finds the codes that are waived for the candidate.
func (d *docket) applyOverrides() {
	for digest, o := range d.overrides {
		if !d.applies(o) {
			continue
		}
		for _, code := range o.Waives {
			d.waived[code] = append(d.waived[code], digest)
		}
	}
}

func (d *docket) applies(o *Override) bool {
	return o.Candidate == d.question.Candidate && (o.Policy == "" || o.Policy == d.policy.Digest())
}

// waives says whether a code is waived, and remembers that it had to be.
func (d *docket) waives(code Code) bool {
	for _, digest := range d.waived[code] {
		if !slices.Contains(d.used[digest], code) {
			d.used[digest] = append(d.used[digest], code)
		}
	}
	return len(d.waived[code]) > 0
}

func (d *docket) overrideReports() []OverrideReport {
	var reports []OverrideReport
	for digest, o := range d.overrides {
		if d.applies(o) {
			used := slices.Sorted(slices.Values(d.used[digest]))
			reports = append(reports, OverrideReport{
				Digest: digest, By: o.By, Reason: o.Reason, ExpiresAt: o.ExpiresAt, Waives: o.Waives, Used: append([]Code{}, used...),
			})
		}
	}
	slices.SortFunc(reports, func(a, b OverrideReport) int { return cmp.Compare(a.Digest, b.Digest) })
	return reports
}
