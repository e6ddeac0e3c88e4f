// Package gate decides whether a candidate may be promoted: by a policy, on signed documents, default deny.
//
// Decide opens all documents, keeps a short record of each (an admission), assesses the runs that rehearsed the
// candidate, and gives every reason for a hold.
package gate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Question is what a gate is asked: may this candidate be promoted?
type Question struct {
	Candidate string `json:"candidate"`           // image digest: of the index, or of one platform's manifest
	Template  string `json:"template,omitempty"`  // digest of the template revision that is to be promoted with it; any where not given
	Bundle    string `json:"bundle,omitempty"`    // digest of the module bundle that is to be promoted with it; any where not given
	Challenge string `json:"challenge,omitempty"` // nonce that the gate gave to the run; must be met where given
}

// Input is one signed document as it was found. The name is for people: nothing rests on it.
type Input struct {
	Name string
	Raw  []byte
}

// Decision is the answer, with everything that it rests on. The zero Decision is a hold.
type Decision struct {
	Promote bool `json:"promote"`
	Question
	At     time.Time `json:"at"`
	Policy string    `json:"policy"` // digest of the policy
	// Reasons for a hold, all of them, in a fixed order. None where the candidate may be promoted.
	Reasons []Reason `json:"reasons"`
	// Inputs are the documents, by digest: those that the decision rests on and those that were refused.
	Inputs []InputReport `json:"inputs"`
	// Unreported is the number of documents without a report of their own: copies of a signed one, and those beyond the
	// first 1024 that not enough trusted keys signed.
	Unreported int `json:"unreported,omitempty"`
	// Cells are the receipts that count for the promotion.
	Cells []CellReport `json:"cells"`
	// Overrides that apply to the candidate. Where one was used, the promotion rests on it.
	Overrides []OverrideReport `json:"overrides,omitempty"`
}

// Reason is one reason for a hold.
type Reason struct {
	Code    refusal.Code `json:"code"`
	Message string       `json:"message"`        // a sentence for people
	Cell    string       `json:"cell,omitempty"` // architecture/scenario, where the reason is about one
	Run     string       `json:"run,omitempty"`  // id of the run, where the reason is about one
}

// InputReport says what became of an input.
type InputReport struct {
	Name     string       `json:"name"`
	Digest   string       `json:"digest,omitempty"`   // of the document, where a trusted key signed it
	Kind     string       `json:"kind,omitempty"`     // predicate type, where a trusted key signed it
	SignedBy []string     `json:"signedBy,omitempty"` // ids of the trusted keys that did
	Code     refusal.Code `json:"code,omitempty"`     // why it was refused; "" where it was taken
	Detail   string       `json:"detail,omitempty"`
}

// CellReport is a receipt that counts.
type CellReport struct {
	Architecture string                `json:"architecture"`
	Scenario     string                `json:"scenario"`
	Run          string                `json:"run"`
	Receipt      string                `json:"receipt"`
	Depth        string                `json:"depth"`                 // join depth that the run asked for
	Disposition  statement.Disposition `json:"disposition,omitempty"` // where the receipt is of the candidate asked about
	FinishedAt   time.Time             `json:"finishedAt"`
}

// Decide answers whether a candidate may be promoted. It is pure, and denies unless the inputs show that every
// demand of the policy is met:
//
//   - only documents count that trusted keys signed, in their one form, fresh, and true to their observations;
//   - a receipt counts only where the signed manifest of its run names it;
//   - each scenario that the policy wants has passed on each architecture, in a run that rehearsed the candidate;
//   - the candidate itself has passed on each architecture with a disposition that the policy allows;
//   - nothing that a trusted key signed speaks against the candidate: no failed, blocked, missing, unlisted or
//     contradicting receipt, under whichever index its image goes. A failed or missing one is superseded by a newer
//     one of the same cell that counts; one about the candidate only by one about the candidate.
//
// The order of the inputs makes no difference, nor does giving one twice. A document that no trusted key signed makes
// no difference either: it is reported as refused. Removing a document never turns a hold into a promotion as long as
// another one that counts is tied to it: a manifest that names it for what it is, or a receipt of the same run that it,
// as the only manifest of that run, names. A run of which nothing at all is given cannot be missed. A challenge keeps out
// runs that were made for another question, not the leaving out of one that was made for this.
//
// Of each input a short record is kept; at a time, one is read for each core that the program may use (GOMAXPROCS). Its
// bytes must stay as they are until Decide returns. A nil sequence is an empty one.
func Decide(policy Policy, trust Trust, question Question, inputs iter.Seq[Input], now time.Time) Decision {
	policy = policy.withDefaults()
	docket := newAdmission(policy, trust, question, now)
	if inputs != nil {
		docket.openAll(inputs)
	}
	return docket.decide()
}

func (d *admission) decide() Decision {
	reasons := d.preconditions()
	d.applyOverrides()
	d.collectCandidateDigests()
	ruling := d.assessRuns()
	reasons = append(reasons, ruling.held...)
	reasons = append(reasons, d.uncoveredDemands(ruling)...)
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Message, b.Message))
	})
	reasons = slices.Compact(reasons)
	return Decision{
		Promote:    len(reasons) == 0,
		Question:   d.question,
		At:         d.now.UTC(),
		Policy:     d.policy.Digest(),
		Reasons:    append([]Reason{}, reasons...),
		Inputs:     d.reports.all(),
		Unreported: d.reports.left,
		Cells:      d.cellReports(ruling.counting),
		Overrides:  d.overrideReports(),
	}
}

// preliminary are the reasons that need no evidence.
func (d *admission) preconditions() []Reason {
	var reasons []Reason
	add := func(code refusal.Code, format string, args ...any) {
		reasons = append(reasons, Reason{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if err := d.policy.Validate(); err != nil {
		add(refusal.PolicyInvalid, "The policy cannot be used: %v.", err)
	}
	if !d.policy.Expires.IsZero() && d.now.After(d.policy.Expires) {
		add(refusal.PolicyExpired, "The policy expired at %s.", d.policy.Expires.Format(time.RFC3339))
	}
	if !statement.IsDigest(d.question.Candidate) {
		add(refusal.CandidateMalformed, "The candidate %q is not an image digest (sha256:<64 hex digits>).", d.question.Candidate)
	}
	if d.policy.Challenge && d.question.Challenge == "" {
		add(refusal.ChallengeMissing, "The policy wants a challenge, and the gate gave none.")
	}
	if len(d.receiptKeys) == 0 {
		add(refusal.NoTrustedKey, "No key is trusted to sign receipts: the policy names none that is not revoked, and none was given beside it.")
	}
	if d.reports.taken == 0 {
		add(refusal.NoEvidence, "There is no evidence: no signed document was given.")
	}
	return reasons
}

func (d *admission) cellReports(counting []*record) []CellReport {
	cells := make([]CellReport, 0, len(counting))
	for _, r := range counting {
		cell := CellReport{Architecture: r.Architecture, Scenario: r.Scenario, Run: r.Run, Receipt: r.digest, Depth: r.depth, FinishedAt: r.FinishedAt}
		if d.isCandidate(r) {
			cell.Disposition = r.disposition
		}
		cells = append(cells, cell)
	}
	slices.SortFunc(cells, func(a, b CellReport) int {
		return cmp.Or(cmp.Compare(a.Architecture, b.Architecture), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Receipt, b.Receipt))
	})
	return cells
}
