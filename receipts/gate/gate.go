// Package gate decides whether a candidate may be promoted: by a policy, on signed documents, with a default of deny.
//
// Decide verifies all documents, collects a short record of each in an admission, assesses the runs that rehearsed the
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

// Question asks a gate whether a candidate may be promoted.
type Question struct {
	Candidate string `json:"candidate"`           // image digest: of the index, or of one platform's manifest
	Template  string `json:"template,omitempty"`  // digest of the template revision to promote with it; any if absent
	Bundle    string `json:"bundle,omitempty"`    // digest of the module bundle to promote with it; any if absent
	Challenge string `json:"challenge,omitempty"` // nonce that the gate gave to the run; a run must answer it if present
}

// Input is one signed document. The name is for people and does not influence a decision.
type Input struct {
	Name string
	Raw  []byte
}

// Decision is a gate's answer, with everything that it rests on. The zero Decision is a hold.
type Decision struct {
	Promote bool `json:"promote"`
	Question
	At     time.Time `json:"at"`
	Policy string    `json:"policy"` // digest of the policy
	// Reasons are all reasons for a hold, in a fixed order. A promotion has none.
	Reasons []Reason `json:"reasons"`
	// Inputs report the documents: those that the decision rests on and those that were refused.
	Inputs []InputReport `json:"inputs"`
	// Unreported is the number of documents without a report: copies of a signed document, and documents beyond the first
	// 1024 that not enough trusted keys signed.
	Unreported int `json:"unreported,omitempty"`
	// Cells are the receipts that count for the promotion.
	Cells []CellReport `json:"cells"`
	// Overrides are the overrides that apply to the candidate. A promotion rests on those that were used.
	Overrides []OverrideReport `json:"overrides,omitempty"`
}

// Reason is one reason for a hold.
type Reason struct {
	Code    refusal.Code `json:"code"`
	Message string       `json:"message"`        // a sentence for people
	Cell    string       `json:"cell,omitempty"` // architecture/scenario, if the reason is about a cell
	Run     string       `json:"run,omitempty"`  // id of the run, if the reason is about a run
}

// InputReport says whether an input was accepted or refused.
type InputReport struct {
	Name     string       `json:"name"`
	Digest   string       `json:"digest,omitempty"`   // of the document, if a trusted key signed it
	Kind     string       `json:"kind,omitempty"`     // predicate type, if a trusted key signed the document
	SignedBy []string     `json:"signedBy,omitempty"` // ids of the trusted keys that signed the document
	Code     refusal.Code `json:"code,omitempty"`     // why the document was refused; "" if it was accepted
	Detail   string       `json:"detail,omitempty"`
}

// CellReport describes a receipt that counts.
type CellReport struct {
	Architecture string                `json:"architecture"`
	Scenario     string                `json:"scenario"`
	Run          string                `json:"run"`
	Receipt      string                `json:"receipt"`
	Depth        string                `json:"depth"`                 // join depth that the run demanded
	Disposition  statement.Disposition `json:"disposition,omitempty"` // if the receipt is about the candidate of the question
	FinishedAt   time.Time             `json:"finishedAt"`
}

// Decide answers whether a candidate may be promoted. It is pure. It denies unless the inputs show that every demand of
// the policy is met:
//
//   - A document counts only if trusted keys signed it, and if it has the one accepted form, is fresh, and claims what its
//     observations show.
//   - A receipt counts only if the signed manifest of its run names it.
//   - Each scenario of the policy has passed on each architecture, in a run that rehearsed the candidate.
//   - The candidate itself has passed on each architecture, with a disposition that the policy allows.
//   - Nothing that a trusted key signed speaks against the candidate: no failed, blocked, missing, unlisted or
//     contradicting receipt, under any index that contains its image. A newer counting receipt of the same cell supersedes
//     a failed or missing one. Only a receipt about the candidate supersedes a receipt about the candidate.
//
// Neither the order of the inputs nor duplicates make a difference. A document that no trusted key signed makes no
// difference either: Decide reports it as refused. Removing a document never turns a hold into a promotion as long as
// another counting document is tied to it. Two documents are tied if one is a manifest and names the other as the receipt
// of the right cell; the removal of a manifest is noticed only if no other manifest of its run is given. If nothing of a
// run is given, Decide cannot notice that the run is missing. A challenge excludes runs for another question. It does not
// show that a run for this question was left out.
//
// Decide reads one input at a time for each core that the program may use (GOMAXPROCS), and holds a short record of each.
// The bytes of an input must not change until Decide returns. A nil sequence counts as empty.
func Decide(policy Policy, trust Trust, question Question, inputs iter.Seq[Input], now time.Time) Decision {
	policy = policy.withDefaults()
	a := newAdmission(policy, trust, question, now)
	if inputs != nil {
		a.openAll(inputs)
	}
	return a.decide()
}

func (a *admission) decide() Decision {
	reasons := a.preconditions()
	a.applyOverrides()
	a.collectCandidateDigests()
	assessed := a.assessRuns()
	reasons = append(reasons, assessed.held...)
	reasons = append(reasons, a.uncoveredDemands(assessed)...)
	slices.SortFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Message, b.Message))
	})
	reasons = slices.Compact(reasons)
	return Decision{
		Promote:    len(reasons) == 0,
		Question:   a.question,
		At:         a.now.UTC(),
		Policy:     a.policy.Digest(),
		Reasons:    append([]Reason{}, reasons...),
		Inputs:     a.reports.all(),
		Unreported: a.reports.unreported,
		Cells:      a.cellReports(assessed.counting),
		Overrides:  a.overrideReports(),
	}
}

// preconditions returns the reasons that do not depend on evidence.
func (a *admission) preconditions() []Reason {
	var reasons []Reason
	add := func(code refusal.Code, format string, args ...any) {
		reasons = append(reasons, Reason{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if err := a.policy.Validate(); err != nil {
		add(refusal.PolicyInvalid, "The policy cannot be used: %v.", err)
	}
	if !a.policy.Expires.IsZero() && a.now.After(a.policy.Expires) {
		add(refusal.PolicyExpired, "The policy expired at %s.", a.policy.Expires.Format(time.RFC3339))
	}
	if !statement.IsDigest(a.question.Candidate) {
		add(refusal.CandidateMalformed, "The candidate %q is not an image digest (sha256:<64 hex digits>).", a.question.Candidate)
	}
	if a.policy.Challenge && a.question.Challenge == "" {
		add(refusal.ChallengeMissing, "The policy wants a challenge, and the gate gave none.")
	}
	if len(a.receiptKeys) == 0 {
		add(refusal.NoTrustedKey, "No key is trusted to sign receipts: the policy names none that is not revoked, and none was given beside it.")
	}
	if a.reports.total == 0 {
		add(refusal.NoEvidence, "There is no evidence: no signed document was given.")
	}
	return reasons
}

func (a *admission) cellReports(counting []*record) []CellReport {
	cells := make([]CellReport, 0, len(counting))
	for _, r := range counting {
		cell := CellReport{Architecture: r.Architecture, Scenario: r.Scenario, Run: r.Run, Receipt: r.digest, Depth: r.depth, FinishedAt: r.FinishedAt}
		if a.isCandidate(r) {
			cell.Disposition = r.disposition
		}
		cells = append(cells, cell)
	}
	slices.SortFunc(cells, func(a, b CellReport) int {
		return cmp.Or(cmp.Compare(a.Architecture, b.Architecture), cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Receipt, b.Receipt))
	})
	return cells
}
