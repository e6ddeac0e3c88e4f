package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ruling is what the runs that rehearsed the candidate come to.
type assessment struct {
	counting []*record // receipts that count for the candidate, each once
	held     []Reason  // what speaks against it
	unmet    []Reason  // why receipts that could count do not
}

// judge goes through the runs that rehearsed the candidate.
func (d *admission) assessRuns() assessment {
	var out assessment
	var objections []finding
	newest := make(map[string]time.Time) // of the counting receipts, by cell
	newestOwn := make(map[string]time.Time)
	seen := make(map[string]bool)
	for _, m := range inOrder(d.manifests) {
		if !d.rehearsesCandidate(m) {
			continue
		}
		for _, cell := range m.Cells {
			r, o := d.assessCell(m, cell)
			if o != nil {
				objections = append(objections, *o)
				continue
			}
			if unmet := d.unmet(r); len(unmet) > 0 {
				out.unmet = append(out.unmet, unmet...)
				continue
			}
			if !seen[r.digest] {
				seen[r.digest] = true
				out.counting = append(out.counting, r)
			}
			if r.FinishedAt.After(newest[cell.Name()]) {
				newest[cell.Name()] = r.FinishedAt
			}
			if d.concernsCandidate(r.Candidate, r.Platform) && r.FinishedAt.After(newestOwn[cell.Name()]) {
				newestOwn[cell.Name()] = r.FinishedAt
			}
		}
	}
	for _, o := range slices.Concat(objections, d.contradictions(), d.futureFindings()) {
		newer := newest
		if o.ofCandidate {
			newer = newestOwn
		}
		if o.final || !newer[o.Cell].After(o.at) {
			out.held = append(out.held, o.Reason)
		}
	}
	return out
}

// judgeCell finds the receipt of a cell, or what speaks against it. An objection is as young as its run: a receipt that
// is missing may have been the last one to fail, and must not weigh less than one that is there.
func (d *admission) assessCell(m *statement.Manifest, cell statement.Cell) (*record, *finding) {
	object := func(code refusal.Code, format string, args ...any) (*record, *finding) {
		message := fmt.Sprintf("%s in run %s: ", cell.Name(), m.Run) + fmt.Sprintf(format, args...) + "."
		reason := Reason{Code: code, Message: message, Cell: cell.Name(), Run: m.Run}
		return nil, &finding{Reason: reason, at: m.FinishedAt, ofCandidate: d.concernsCandidate(cell.Candidate, cell.Platform)}
	}
	r := d.receipts[cell.Receipt]
	if r == nil {
		if refused, ok := d.refused[cell.Receipt]; ok {
			return object(refusal.ReceiptRefused, "the receipt is refused: %s: %s", refused.Code, refused.Detail)
		}
		return object(refusal.ReceiptMissing, "the manifest names a receipt that is not there, or not as it was signed")
	}
	if misplaced := m.Mismatches(cell, r.Header); len(misplaced) > 0 {
		_, o := object(refusal.CellMismatch, "the receipt that the manifest names does not belong there: %s", strings.Join(misplaced, "; "))
		o.ofCandidate = o.ofCandidate || d.concernsCandidate(r.Candidate, r.Platform) // whatever the cell says
		return nil, o
	}
	switch r.verdict {
	case statement.Passed:
	case statement.Error:
		return object(refusal.ScenarioError, "a fault ended it, so that nothing is known")
	case statement.Inconclusive:
		return object(refusal.ScenarioInconclusive, "the evidence has a gap: %s", r.failing)
	default:
		return object(refusal.ScenarioFailed, "these checks fail: %s", r.failing)
	}
	if !d.concernsCandidate(r.Candidate, r.Platform) || d.allowed(r.disposition) {
		return r, nil
	}
	if reason, blocked := strings.CutPrefix(string(r.disposition), statement.BlockedPrefix); blocked {
		return object(refusal.CandidateBlocked, "the candidate was blocked: %s", reason)
	}
	if d.waives(refusal.DispositionNotAllowed) {
		return r, nil
	}
	return object(refusal.DispositionNotAllowed, "the candidate is %s, which the policy does not allow", r.disposition)
}

func (d *admission) allowed(disposition statement.Disposition) bool {
	return disposition.Promotable() && slices.Contains(d.policy.Dispositions, disposition)
}

// unmet are the demands of policy and question that a receipt does not meet. It then counts for nothing, but does not
// speak against the candidate either.
func (d *admission) unmet(r *record) []Reason {
	var reasons []Reason
	cell := r.CellName()
	add := func(unmet bool, code refusal.Code, format string, args ...any) {
		if unmet && !d.waives(code) {
			message := fmt.Sprintf("%s in run %s does not count: ", cell, r.Run) + fmt.Sprintf(format, args...) + "."
			reasons = append(reasons, Reason{Code: code, Message: message, Cell: cell, Run: r.Run})
		}
	}
	q, p := d.question, d.policy
	add(q.Challenge != "" && r.Challenge == "", refusal.ChallengeMismatch, "it answers no challenge, and %q was given", q.Challenge)
	add(q.Challenge != "" && r.Challenge != "" && r.Challenge != q.Challenge, refusal.ChallengeMismatch, "it answers the challenge %q, not %q", r.Challenge, q.Challenge)
	add(r.emulated && !p.Emulated, refusal.EmulatedNotAllowed, "its processor was emulated")
	add(r.openEgress && !p.OpenEgress, refusal.EgressNotAllowed, "its cluster could reach out")
	add(!statement.AtLeast(r.depth, p.MinimumDepth), refusal.DepthTooShallow, "it asked for %s, the policy wants %s", r.depth, p.MinimumDepth)
	if d.concernsCandidate(r.Candidate, r.Platform) {
		add(r.fixture && !p.Fixtures, refusal.FixtureNotAllowed, "its candidate is a game made for tests")
		add(q.Template != "" && r.template != q.Template, refusal.TemplateMismatch, "its template is %s, not %s", r.template, q.Template)
		add(q.Bundle != "" && r.bundle != q.Bundle, refusal.BundleMismatch, "its bundle is %q, not %s", r.bundle, q.Bundle)
	}
	return reasons
}
