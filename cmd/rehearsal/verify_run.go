package main

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// verifiedManifest is a manifest with the name of its file and what is said of it.
type verifiedManifest struct {
	name, summary string
	*statement.Manifest
}

// verifiedReceipt is where a receipt belongs, with the name of its file.
type verifiedReceipt struct {
	name string
	statement.Header
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
			for _, what := range m.Mismatches(cell, r.Header) {
				wrong = append(wrong, fmt.Sprintf("its cell %s/%s names %s: %s", cell.Architecture, cell.Scenario, r.name, what))
			}
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
		case v.named[[2]string{r.Run, digest}] || noted[r.Run]:
		case given[r.Run]:
			v.refuse(r.name, "the manifest of run %s does not name it", r.Run)
		default:
			noted[r.Run] = true
			v.say("note", r.name, "no manifest of run %s was given: nobody can tell what else it saw", r.Run)
		}
	}
}
