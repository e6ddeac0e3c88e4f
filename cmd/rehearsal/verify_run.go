package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// verifiedManifest is a manifest with the name of its file and what is said of it.
type verifiedManifest struct {
	name, summary string
	*receipts.Manifest
}

// verifiedReceipt is what a manifest says of a receipt, as the receipt says it.
type verifiedReceipt struct {
	name, run, architecture, scenario, candidate, platform, challenge string
	finished                                                          time.Time
}

// factsOf copies the facts: they must not keep the whole receipt in memory.
func factsOf(name string, r *receipts.Receipt) verifiedReceipt {
	return verifiedReceipt{
		name:         name,
		run:          strings.Clone(r.Run.ID),
		architecture: strings.Clone(r.Environment.Architecture),
		scenario:     strings.Clone(r.Run.Scenario),
		candidate:    strings.Clone(r.Candidate.Digest),
		platform:     strings.Clone(r.Candidate.PlatformDigest),
		challenge:    strings.Clone(r.Run.Challenge),
		finished:     r.Run.FinishedAt,
	}
}

// manifest says whether the receipts that a manifest names are there, and are those of its cells.
func (v *verification) manifest(m verifiedManifest) {
	var wrong []string
	for _, cell := range m.Cells {
		v.named[[2]string{m.Run, cell.Receipt}] = true
		r, found := v.receipts[cell.Receipt]
		switch {
		case cell.Receipt == "":
			v.missing(cell.File, "run %s wrote no receipt of %s/%s", m.Run, cell.Architecture, cell.Scenario)
		case !found:
			v.missing(cell.File, "%s is named by a manifest", cell.Receipt)
		default:
			wrong = append(wrong, r.mismatches(m, cell)...)
		}
		key := [3]string{m.Run, cell.Architecture, cell.Scenario}
		if other, twice := v.cells[key]; twice && other != cell.Receipt {
			wrong = append(wrong, fmt.Sprintf("another manifest of run %s names another receipt of %s/%s", m.Run, cell.Architecture, cell.Scenario))
		}
		v.cells[key] = cell.Receipt
	}
	if len(wrong) == 0 {
		v.say("verified", m.name, "%s", m.summary)
	}
	for _, what := range wrong {
		v.refuse(m.name, "%s", what)
	}
}

// mismatches says in what a receipt differs from the cell that names it: a gate would not take it for the cell's.
func (r verifiedReceipt) mismatches(m verifiedManifest, cell receipts.Cell) []string {
	var found []string
	for _, fact := range []struct{ what, is, want string }{
		{"run", r.run, m.Run},
		{"architecture", r.architecture, cell.Architecture},
		{"scenario", r.scenario, cell.Scenario},
		{"candidate", r.candidate, cell.Candidate},
		{"platform", r.platform, cell.Platform},
		{"challenge", r.challenge, m.Challenge},
	} {
		if fact.is != fact.want {
			found = append(found, fmt.Sprintf("its cell %s/%s names %s, whose %s is %q, not %q",
				cell.Architecture, cell.Scenario, r.name, fact.what, fact.is, fact.want))
		}
	}
	if r.finished.Before(m.StartedAt) || r.finished.After(m.FinishedAt) {
		found = append(found, fmt.Sprintf("its cell %s/%s names %s, which was finished at %s, outside the run",
			cell.Architecture, cell.Scenario, r.name, clock(r.finished)))
	}
	return found
}

// strays are the receipts that no manifest of their run names. Where none was given, that is told, once for each run:
// what else such a run saw is not known.
func (v *verification) strays() {
	given := make(map[string]bool)
	for _, m := range v.manifests {
		given[m.Run] = true
	}
	noted := make(map[string]bool)
	for _, digest := range v.order {
		r := v.receipts[digest]
		switch {
		case v.named[[2]string{r.run, digest}] || noted[r.run]:
		case given[r.run]:
			v.refuse(r.name, "the manifest of run %s does not name it", r.run)
		default:
			noted[r.run] = true
			v.say("note", r.name, "no manifest of run %s was given: nobody can tell what else it saw", r.run)
		}
	}
}
