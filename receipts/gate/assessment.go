package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// assessment is the result of assessing the runs that rehearsed the candidate.
type assessment struct {
	counting []*record // receipts that count for the candidate, each once
	held     []Reason  // findings against the candidate that nothing supersedes
	unmet    []Reason  // why good receipts do not count
}

// assessRuns assesses every cell of the runs that rehearsed the candidate.
func (a *admission) assessRuns() assessment {
	var assessed assessment
	var findings []finding
	newest := make(map[string]time.Time) // of the counting receipts, by cell
	newestOfCandidate := make(map[string]time.Time)
	seen := make(map[string]bool)
	for _, m := range sortedByDigest(a.manifests) {
		if !a.rehearsesCandidate(m) {
			continue
		}
		for _, cell := range m.Cells {
			r, f := a.assessCell(m, cell)
			if f != nil {
				findings = append(findings, *f)
				continue
			}
			if unmet := a.unmet(r); len(unmet) > 0 {
				assessed.unmet = append(assessed.unmet, unmet...)
				continue
			}
			if !seen[r.digest] {
				seen[r.digest] = true
				assessed.counting = append(assessed.counting, r)
			}
			if r.FinishedAt.After(newest[cell.Name()]) {
				newest[cell.Name()] = r.FinishedAt
			}
			if a.concernsCandidate(r.Candidate, r.Platform) && r.FinishedAt.After(newestOfCandidate[cell.Name()]) {
				newestOfCandidate[cell.Name()] = r.FinishedAt
			}
		}
	}
	for _, f := range slices.Concat(findings, a.contradictions(), a.futureFindings()) {
		newer := newest
		if f.ofCandidate {
			newer = newestOfCandidate
		}
		if f.final || !newer[f.Cell].After(f.at) {
			assessed.held = append(assessed.held, f.Reason)
		}
	}
	return assessed
}

// assessCell returns the receipt of a cell, or a finding against the candidate. The time of a finding is the end of its
// run: a missing receipt may be the last one that failed.
func (a *admission) assessCell(m *statement.Manifest, cell statement.Cell) (*record, *finding) {
	against := func(code refusal.Code, format string, args ...any) (*record, *finding) {
		message := fmt.Sprintf("%s in run %s: ", cell.Name(), m.Run) + fmt.Sprintf(format, args...) + "."
		reason := Reason{Code: code, Message: message, Cell: cell.Name(), Run: m.Run}
		return nil, &finding{Reason: reason, at: m.FinishedAt, ofCandidate: a.concernsCandidate(cell.Candidate, cell.Platform)}
	}
	r := a.receipts[cell.Receipt]
	if r == nil {
		if refused, ok := a.refused[cell.Receipt]; ok {
			return against(refusal.ReceiptRefused, "the receipt is refused: %s: %s", refused.Code, refused.Detail)
		}
		return against(refusal.ReceiptMissing, "the manifest names a receipt that is not there, or not as it was signed")
	}
	if mismatches := m.Mismatches(cell, r.Header); len(mismatches) > 0 {
		_, f := against(refusal.CellMismatch, "the receipt that the manifest names does not belong there: %s", strings.Join(mismatches, "; "))
		f.ofCandidate = f.ofCandidate || a.concernsCandidate(r.Candidate, r.Platform) // even if the cell names another candidate
		return nil, f
	}
	switch r.verdict {
	case statement.Passed:
	case statement.Error:
		return against(refusal.ScenarioError, "a fault ended it, so that nothing is known")
	case statement.Inconclusive:
		return against(refusal.ScenarioInconclusive, "the evidence has a gap: %s", r.failing)
	default:
		return against(refusal.ScenarioFailed, "these checks fail: %s", r.failing)
	}
	if !a.concernsCandidate(r.Candidate, r.Platform) || a.allowed(r.disposition) {
		return r, nil
	}
	if reason, blocked := strings.CutPrefix(string(r.disposition), statement.BlockedPrefix); blocked {
		return against(refusal.CandidateBlocked, "the candidate was blocked: %s", reason)
	}
	if a.waives(refusal.DispositionNotAllowed) {
		return r, nil
	}
	return against(refusal.DispositionNotAllowed, "the candidate is %s, which the policy does not allow", r.disposition)
}

func (a *admission) allowed(disposition statement.Disposition) bool {
	return disposition.Promotable() && slices.Contains(a.policy.Dispositions, disposition)
}

// unmet returns the demands of the policy and the question that a receipt does not meet. Such a receipt does not count,
// and it does not speak against the candidate either.
func (a *admission) unmet(r *record) []Reason {
	var reasons []Reason
	cell := r.CellName()
	add := func(unmet bool, code refusal.Code, format string, args ...any) {
		if unmet && !a.waives(code) {
			message := fmt.Sprintf("%s in run %s does not count: ", cell, r.Run) + fmt.Sprintf(format, args...) + "."
			reasons = append(reasons, Reason{Code: code, Message: message, Cell: cell, Run: r.Run})
		}
	}
	q, p := a.question, a.policy
	add(q.Challenge != "" && r.Challenge == "", refusal.ChallengeMismatch, "it answers no challenge, and %q was given", q.Challenge)
	add(q.Challenge != "" && r.Challenge != "" && r.Challenge != q.Challenge, refusal.ChallengeMismatch, "it answers the challenge %q, not %q", r.Challenge, q.Challenge)
	add(r.emulated && !p.Emulated, refusal.EmulatedNotAllowed, "its processor was emulated")
	add(r.openEgress && !p.OpenEgress, refusal.EgressNotAllowed, "its cluster could reach out")
	add(!statement.AtLeast(r.depth, p.MinimumDepth), refusal.DepthTooShallow, "it asked for %s, the policy wants %s", r.depth, p.MinimumDepth)
	if a.concernsCandidate(r.Candidate, r.Platform) {
		add(r.fixture && !p.Fixtures, refusal.FixtureNotAllowed, "its candidate is a game made for tests")
		add(q.Template != "" && r.template != q.Template, refusal.TemplateMismatch, "its template is %s, not %s", r.template, q.Template)
		add(q.Bundle != "" && r.bundle != q.Bundle, refusal.BundleMismatch, "its bundle is %q, not %s", r.bundle, q.Bundle)
	}
	return reasons
}
