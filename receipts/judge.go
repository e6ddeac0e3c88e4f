package receipts

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ruling is what the runs that rehearsed the candidate come to.
type ruling struct {
	counting []*record // receipts that count for the candidate, each once
	against  []Reason  // what speaks against it
	unmet    []Reason  // why receipts that could count do not
}

// judge goes through the runs that rehearsed the candidate.
func (d *docket) judge() ruling {
	var out ruling
	var objections []objection
	newest := make(map[string]time.Time) // of the counting receipts, by cell
	newestOwn := make(map[string]time.Time)
	seen := make(map[string]bool)
	for _, m := range inOrder(d.manifests) {
		if !d.rehearses(m) {
			continue
		}
		for _, cell := range m.Cells {
			r, o := d.judgeCell(m, cell)
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
			if d.related(r.Candidate, r.Platform) && r.FinishedAt.After(newestOwn[cell.Name()]) {
				newestOwn[cell.Name()] = r.FinishedAt
			}
		}
	}
	for _, o := range slices.Concat(objections, d.disorder(), d.fromAhead()) {
		newer := newest
		if o.own {
			newer = newestOwn
		}
		if o.final || !newer[o.Cell].After(o.at) {
			out.against = append(out.against, o.Reason)
		}
	}
	return out
}

// judgeCell finds the receipt of a cell, or what speaks against it. An objection is as young as its run: a receipt that
// is missing may have been the last one to fail, and must not weigh less than one that is there.
func (d *docket) judgeCell(m *Manifest, cell Cell) (*record, *objection) {
	object := func(code Code, format string, args ...any) (*record, *objection) {
		message := fmt.Sprintf("%s in run %s: ", cell.Name(), m.Run) + fmt.Sprintf(format, args...) + "."
		reason := Reason{Code: code, Message: message, Cell: cell.Name(), Run: m.Run}
		return nil, &objection{Reason: reason, at: m.FinishedAt, own: d.related(cell.Candidate, cell.Platform)}
	}
	r := d.receipts[cell.Receipt]
	if r == nil {
		if refused, ok := d.refused[cell.Receipt]; ok {
			return object(CodeReceiptRefused, "the receipt is refused: %s: %s", refused.Code, refused.Detail)
		}
		return object(CodeReceiptMissing, "the manifest names a receipt that is not there, or not as it was signed")
	}
	if misplaced := m.Misplaced(cell, r.Place); len(misplaced) > 0 {
		_, o := object(CodeCellMismatch, "the receipt that the manifest names does not belong there: %s", strings.Join(misplaced, "; "))
		o.own = o.own || d.related(r.Candidate, r.Platform) // whatever the cell says
		return nil, o
	}
	switch r.verdict {
	case Passed:
	case Error:
		return object(CodeScenarioError, "a fault ended it, so that nothing is known")
	case Inconclusive:
		return object(CodeScenarioOpen, "the evidence has a gap: %s", r.failing)
	default:
		return object(CodeScenarioFailed, "these checks fail: %s", r.failing)
	}
	if !d.related(r.Candidate, r.Platform) || d.allowed(r.disposition) {
		return r, nil
	}
	if reason, blocked := strings.CutPrefix(string(r.disposition), BlockedPrefix); blocked {
		return object(CodeCandidateBlocked, "the candidate was blocked: %s", reason)
	}
	if d.waives(CodeDispositionDenied) {
		return r, nil
	}
	return object(CodeDispositionDenied, "the candidate is %s, which the policy does not allow", r.disposition)
}

func (d *docket) allowed(disposition Disposition) bool {
	return disposition.Promotable() && slices.Contains(d.policy.Dispositions, disposition)
}

// unmet are the demands of policy and question that a receipt does not meet. It then counts for nothing, but does not
// speak against the candidate either.
func (d *docket) unmet(r *record) []Reason {
	var reasons []Reason
	cell := r.cell()
	add := func(unmet bool, code Code, format string, args ...any) {
		if unmet && !d.waives(code) {
			message := fmt.Sprintf("%s in run %s does not count: ", cell, r.Run) + fmt.Sprintf(format, args...) + "."
			reasons = append(reasons, Reason{Code: code, Message: message, Cell: cell, Run: r.Run})
		}
	}
	q, p := d.question, d.policy
	add(q.Challenge != "" && r.Challenge == "", CodeChallengeMismatch, "it answers no challenge, and %q was given", q.Challenge)
	add(q.Challenge != "" && r.Challenge != "" && r.Challenge != q.Challenge, CodeChallengeMismatch, "it answers the challenge %q, not %q", r.Challenge, q.Challenge)
	add(r.emulated && !p.Emulated, CodeEmulatedNotAllowed, "its processor was emulated")
	add(r.openEgress && !p.OpenEgress, CodeOpenEgressNotAllowed, "its cluster could reach out")
	add(!AtLeast(r.depth, p.MinimumDepth), CodeDepthTooShallow, "it asked for %s, the policy wants %s", r.depth, p.MinimumDepth)
	if d.related(r.Candidate, r.Platform) {
		add(r.fixture && !p.Fixtures, CodeFixtureNotAllowed, "its candidate is a game made for tests")
		add(q.Template != "" && r.template != q.Template, CodeTemplateMismatch, "its template is %s, not %s", r.template, q.Template)
		add(q.Bundle != "" && r.bundle != q.Bundle, CodeBundleMismatch, "its bundle is %q, not %s", r.bundle, q.Bundle)
	}
	return reasons
}
