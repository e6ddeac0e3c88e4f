package gate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// objection is something that speaks against the candidate until a newer receipt of the same cell supersedes it.
type finding struct {
	Reason
	at          time.Time
	final       bool // nothing supersedes it
	ofCandidate bool // it is about the candidate, so that another candidate's receipt does not supersede it
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
func (d *admission) futureFindings() []finding {
	var objections []finding
	object := func(cell, run, format string, args ...any) {
		message := fmt.Sprintf("%s in run %s: ", cell, run) + fmt.Sprintf(format, args...) + ", by a clock that is ahead of the gate's."
		objections = append(objections, finding{Reason: Reason{Code: refusal.FromTheFuture, Message: message, Cell: cell, Run: run}, final: true})
	}
	for _, r := range d.future.receipts {
		if d.concernsCandidate(r.Candidate, r.Platform) && (r.verdict != statement.Passed || !d.allowed(r.disposition)) {
			object(r.CellName(), r.Run, "%s, %s", r.verdict, r.disposition)
		}
	}
	for _, m := range d.future.manifests {
		for _, cell := range m.Cells {
			if d.concernsCandidate(cell.Candidate, cell.Platform) && !d.isThere(m, cell) {
				object(cell.Name(), m.Run, "its receipt is not there, and the manifest is")
			}
		}
	}
	return objections
}

// isThere says whether the receipt of a cell is, be it believed or by a clock that is ahead.
func (d *admission) isThere(m *statement.Manifest, cell statement.Cell) bool {
	for _, e := range []evidence{d.evidence, d.future} {
		if r := e.receipts[cell.Receipt]; r != nil && len(m.Mismatches(cell, r.Header)) == 0 {
			return true
		}
	}
	return false
}

// listing is all that a manifest says of a cell.
type listing struct {
	statement.Cell
	challenge         string
	started, finished time.Time
}

func listingOf(m *statement.Manifest, cell statement.Cell) listing {
	return listing{cell, m.Challenge, m.StartedAt, m.FinishedAt}
}

// disorder finds documents that contradict each other and receipts that no manifest names. Nothing supersedes these:
// of a run without its manifest, nobody can say what else it saw, and when.
func (d *admission) contradictions() []finding {
	var objections []finding
	object := func(code refusal.Code, run, cell, format string) {
		reason := Reason{Code: code, Message: fmt.Sprintf(format, run, cell), Cell: cell, Run: run}
		objections = append(objections, finding{Reason: reason, final: true})
	}
	runs := make(map[string]bool)
	listed := make(map[[2]string]listing) // by run and cell
	for _, m := range inOrder(d.manifests) {
		runs[m.Run] = true
		for _, cell := range m.Cells {
			key, this := [2]string{m.Run, cell.Name()}, listingOf(m, cell)
			if other, ok := listed[key]; ok && other != this {
				object(refusal.CellContradicted, m.Run, cell.Name(), "Two manifests of run %s disagree on %s.")
			}
			listed[key] = this
		}
	}
	for _, m := range inOrder(d.future.manifests) {
		for _, cell := range m.Cells {
			if other, ok := listed[[2]string{m.Run, cell.Name()}]; ok && other != listingOf(m, cell) {
				object(refusal.CellContradicted, m.Run, cell.Name(), "Two manifests of run %s, one by a clock that is ahead, disagree on %s.")
			}
		}
	}
	for _, r := range d.future.receipts {
		if other, ok := listed[[2]string{r.Run, r.CellName()}]; ok && other.Receipt != r.digest {
			object(refusal.CellContradicted, r.Run, r.CellName(), "The manifest of run %s names another receipt of %s than one that is there, by a clock that is ahead.")
		}
	}
	for _, r := range d.receipts {
		cell := r.CellName()
		switch other, ok := listed[[2]string{r.Run, cell}]; {
		case other.Receipt == r.digest:
		case ok:
			object(refusal.CellContradicted, r.Run, cell, "The manifest of run %s names another receipt of %s than the one that is there.")
		case runs[r.Run]:
			object(refusal.ReceiptUnlisted, r.Run, cell, "The manifest of run %s does not name the receipt of %s that is there.")
		default:
			object(refusal.ManifestMissing, r.Run, cell, "The manifest of run %s is not there, so that nobody can tell what else it saw beside %s.")
		}
	}
	return objections
}
