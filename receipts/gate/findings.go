package gate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// finding is a reason against the candidate. A newer receipt of the same cell may supersede it.
type finding struct {
	Reason
	at          time.Time
	final       bool // nothing supersedes it
	ofCandidate bool // only a receipt about the candidate supersedes it
}

// sortedByDigest returns documents in the order of their digests, so that equal inputs give equal decisions.
func sortedByDigest[T any](documents map[string]T) []T {
	sorted := make([]T, 0, len(documents))
	for _, digest := range slices.Sorted(maps.Keys(documents)) {
		sorted = append(sorted, documents[digest])
	}
	return sorted
}

// futureFindings returns what documents with a future time say against the candidate: failed receipts, and manifests that
// name a missing receipt. Such documents never count for the candidate. They still count against it, because a wrong clock
// must not hide a failure.
func (a *admission) futureFindings() []finding {
	var findings []finding
	add := func(cell, run, format string, args ...any) {
		message := fmt.Sprintf("%s in run %s: ", cell, run) + fmt.Sprintf(format, args...) + ", by a clock that is ahead of the gate's."
		findings = append(findings, finding{Reason: Reason{Code: refusal.FromTheFuture, Message: message, Cell: cell, Run: run}, final: true})
	}
	for _, r := range a.future.receipts {
		if a.concernsCandidate(r.Candidate, r.Platform) && (r.verdict != statement.Passed || !a.allowed(r.disposition)) {
			add(r.CellName(), r.Run, "%s, %s", r.verdict, r.disposition)
		}
	}
	for _, m := range a.future.manifests {
		for _, cell := range m.Cells {
			if a.concernsCandidate(cell.Candidate, cell.Platform) && !a.hasReceipt(m, cell) {
				add(cell.Name(), m.Run, "its receipt is not there, and the manifest is")
			}
		}
	}
	return findings
}

// hasReceipt says whether the inputs contain the receipt of a cell, accepted or with a future time.
func (a *admission) hasReceipt(m *statement.Manifest, cell statement.Cell) bool {
	for _, e := range []evidence{a.evidence, a.future} {
		if r := e.receipts[cell.Receipt]; r != nil && len(m.Mismatches(cell, r.Header)) == 0 {
			return true
		}
	}
	return false
}

// listing holds everything that a manifest says of a cell.
type listing struct {
	statement.Cell
	challenge         string
	started, finished time.Time
}

func listingOf(m *statement.Manifest, cell statement.Cell) listing {
	return listing{cell, m.Challenge, m.StartedAt, m.FinishedAt}
}

// contradictions returns findings about documents that contradict each other, and about receipts that no manifest names.
// Nothing supersedes these: without its manifest, nobody knows what else a run observed, and when.
func (a *admission) contradictions() []finding {
	var findings []finding
	add := func(code refusal.Code, run, cell, format string) {
		reason := Reason{Code: code, Message: fmt.Sprintf(format, run, cell), Cell: cell, Run: run}
		findings = append(findings, finding{Reason: reason, final: true})
	}
	runs := make(map[string]bool)
	listed := make(map[[2]string]listing) // by run and cell
	for _, m := range sortedByDigest(a.manifests) {
		runs[m.Run] = true
		for _, cell := range m.Cells {
			key, this := [2]string{m.Run, cell.Name()}, listingOf(m, cell)
			if other, ok := listed[key]; ok && other != this {
				add(refusal.CellContradicted, m.Run, cell.Name(), "Two manifests of run %s disagree on %s.")
			}
			listed[key] = this
		}
	}
	for _, m := range sortedByDigest(a.future.manifests) {
		for _, cell := range m.Cells {
			if other, ok := listed[[2]string{m.Run, cell.Name()}]; ok && other != listingOf(m, cell) {
				add(refusal.CellContradicted, m.Run, cell.Name(), "Two manifests of run %s, one by a clock that is ahead, disagree on %s.")
			}
		}
	}
	for _, r := range a.future.receipts {
		if other, ok := listed[[2]string{r.Run, r.CellName()}]; ok && other.Receipt != r.digest {
			add(refusal.CellContradicted, r.Run, r.CellName(), "The manifest of run %s names another receipt of %s than one that is there, by a clock that is ahead.")
		}
	}
	for _, r := range a.receipts {
		cell := r.CellName()
		switch other, ok := listed[[2]string{r.Run, cell}]; {
		case other.Receipt == r.digest:
		case ok:
			add(refusal.CellContradicted, r.Run, cell, "The manifest of run %s names another receipt of %s than the one that is there.")
		case runs[r.Run]:
			add(refusal.ReceiptUnlisted, r.Run, cell, "The manifest of run %s does not name the receipt of %s that is there.")
		default:
			add(refusal.ManifestMissing, r.Run, cell, "The manifest of run %s is not there, so that nobody can tell what else it saw beside %s.")
		}
	}
	return findings
}
