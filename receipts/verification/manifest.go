package verification

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// manifest is a verified manifest with the name of its file and its summary.
type manifest struct {
	name, summary string
	*statement.Manifest
}

// receipt is the header of a verified receipt with the name of its file.
type receipt struct {
	name string
	statement.Header
}

// manifest looks for the receipts that a manifest names, and compares them with its cells.
func (v *verifier) manifest(m manifest) {
	var wrong []string
	for _, cell := range m.Cells {
		v.named[runReceipt{m.Run, cell.Receipt}] = true
		wrong = append(wrong, v.cell(m, cell)...)
	}
	if len(wrong) == 0 {
		v.say(Verified, m.name, "%s", m.summary)
	}
	for _, what := range wrong {
		v.say(Refused, m.name, "%s", what)
	}
}

// cell returns what is wrong with one cell of a manifest.
func (v *verifier) cell(m manifest, cell statement.Cell) (wrong []string) {
	r, found := v.receipts[cell.Receipt]
	switch {
	case cell.Receipt == "":
		v.say(Missing, cell.File, "run %s wrote no receipt of %s/%s", m.Run, cell.Architecture, cell.Scenario)
	case !found:
		v.say(Missing, cell.File, "%s is named by a manifest", cell.Receipt)
	default:
		for _, what := range m.Mismatches(cell, r.Header) {
			wrong = append(wrong, fmt.Sprintf("its cell %s/%s names %s: %s", cell.Architecture, cell.Scenario, r.name, what))
		}
	}
	key := runCell{m.Run, cell.Architecture, cell.Scenario}
	if other, twice := v.cells[key]; twice && other != cell.Receipt {
		wrong = append(wrong, fmt.Sprintf("another manifest of run %s names another receipt of %s/%s", m.Run, cell.Architecture, cell.Scenario))
	}
	v.cells[key] = cell.Receipt
	return wrong
}

// unnamed refuses the receipts that no manifest of their run names. Where no manifest was given, it says so once for each
// run: nobody knows what else such a run saw.
func (v *verifier) unnamed() {
	given := make(map[string]bool)
	for _, m := range v.manifests {
		given[m.Run] = true
	}
	noted := make(map[string]bool)
	for _, digest := range v.order {
		r := v.receipts[digest]
		switch {
		case v.named[runReceipt{r.Run, digest}] || noted[r.Run]:
		case given[r.Run]:
			v.say(Refused, r.name, "the manifest of run %s does not name it", r.Run)
		default:
			noted[r.Run] = true
			v.say(Note, r.name, "no manifest of run %s was given: nobody can tell what else it saw", r.Run)
		}
	}
}
