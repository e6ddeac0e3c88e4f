package receipts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// objection is something that speaks against the candidate until a newer receipt of the same cell supersedes it.
type objection struct {
	Reason
	at    time.Time
	final bool // nothing supersedes it
	own   bool // it is about the candidate, so that another candidate's receipt does not supersede it
}

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
			if r.FinishedAt.After(newest[cell.name()]) {
				newest[cell.name()] = r.FinishedAt
			}
			if d.related(r.Candidate, r.Platform) && r.FinishedAt.After(newestOwn[cell.name()]) {
				newestOwn[cell.name()] = r.FinishedAt
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

// inOrder hands out documents in the order of their digests: a decision says the same on every call.
func inOrder[T any](documents map[string]T) []T {
	ordered := make([]T, 0, len(documents))
	for _, digest := range slices.Sorted(maps.Keys(documents)) {
		ordered = append(ordered, documents[digest])
	}
	return ordered
}

// fromAhead is what speaks against the candidate by a clock that is ahead: a receipt, or a manifest that names one which
// is not there. They do not count, but neither do they go unheard: whoever sets a clock must not be able to silence a
// failure.
func (d *docket) fromAhead() []objection {
	var objections []objection
	object := func(cell, run, format string, args ...any) {
		message := fmt.Sprintf("%s in run %s: ", cell, run) + fmt.Sprintf(format, args...) + ", by a clock that is ahead of the gate's."
		objections = append(objections, objection{Reason: Reason{Code: CodeFromFuture, Message: message, Cell: cell, Run: run}, final: true})
	}
	for _, r := range d.ahead.receipts {
		if d.related(r.Candidate, r.Platform) && (r.verdict != Passed || !d.allowed(r.disposition)) {
			object(r.cell(), r.Run, "%s, %s", r.verdict, r.disposition)
		}
	}
	for _, m := range d.ahead.manifests {
		for _, cell := range m.Cells {
			there := d.receipts[cell.Receipt] != nil || d.ahead.receipts[cell.Receipt] != nil
			if d.related(cell.Candidate, cell.Platform) && !there {
				object(cell.name(), m.Run, "its receipt is not there, and the manifest is")
			}
		}
	}
	return objections
}

// disorder finds documents that contradict each other and receipts that no manifest names. Nothing supersedes these:
// of a run without its manifest, nobody can say what else it saw, and when.
func (d *docket) disorder() []objection {
	var objections []objection
	object := func(code Code, run, cell, format string) {
		reason := Reason{Code: code, Message: fmt.Sprintf(format, run, cell), Cell: cell, Run: run}
		objections = append(objections, objection{Reason: reason, final: true})
	}
	runs := make(map[string]bool)
	listed := make(map[[2]string]string) // run and cell to receipt
	for _, m := range inOrder(d.manifests) {
		runs[m.Run] = true
		for _, cell := range m.Cells {
			key := [2]string{m.Run, cell.name()}
			if other, ok := listed[key]; ok && other != cell.Receipt {
				object(CodeCellContradicted, m.Run, cell.name(), "Two manifests of run %s disagree on the receipt of %s.")
			}
			listed[key] = cell.Receipt
		}
	}
	for _, r := range d.receipts {
		cell := r.cell()
		switch other, ok := listed[[2]string{r.Run, cell}]; {
		case other == r.digest:
		case ok:
			object(CodeCellContradicted, r.Run, cell, "The manifest of run %s names another receipt of %s than the one that is there.")
		case runs[r.Run]:
			object(CodeReceiptUnlisted, r.Run, cell, "The manifest of run %s does not name the receipt of %s that is there.")
		default:
			object(CodeManifestMissing, r.Run, cell, "The manifest of run %s is not there, so that nobody can tell what else it saw beside %s.")
		}
	}
	return objections
}

// judgeCell finds the receipt of a cell, or what speaks against it. An objection is as young as its run: a receipt that
// is missing may have been the last one to fail, and must not weigh less than one that is there.
func (d *docket) judgeCell(m *Manifest, cell Cell) (*record, *objection) {
	object := func(code Code, format string, args ...any) (*record, *objection) {
		message := fmt.Sprintf("%s in run %s: ", cell.name(), m.Run) + fmt.Sprintf(format, args...) + "."
		reason := Reason{Code: code, Message: message, Cell: cell.name(), Run: m.Run}
		return nil, &objection{Reason: reason, at: m.FinishedAt, own: d.related(cell.Candidate, cell.Platform)}
	}
	r := d.receipts[cell.Receipt]
	if r == nil {
		if refused, ok := d.refused[cell.Receipt]; ok {
			return object(CodeReceiptRefused, "the receipt is refused: %s: %s", refused.Code, refused.Detail)
		}
		return object(CodeReceiptMissing, "the manifest names a receipt that is not there")
	}
	if misplaced := m.Misplaced(cell, r.Place); len(misplaced) > 0 {
		_, o := object(CodeCellMismatch, "the receipt that the manifest names does not belong there: %s", strings.Join(misplaced, "; "))
		o.final = true // whose cell it is, is just what is not known
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
	add(q.Challenge != "" && r.Challenge != q.Challenge, CodeChallengeMismatch, "it answers the challenge %q, not %q", r.Challenge, q.Challenge)
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
