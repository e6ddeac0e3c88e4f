// Package evaluation derives the checks, the verdict and the disposition of a receipt from its observations.
//
// Of evaluates a receipt. Confirm refuses a receipt whose claims differ from the evaluation, and Complete fills the
// evaluation in. Inside, a history gives the checkpoints of a receipt by name, and a finding says why a checkpoint does
// not show what it must.
package evaluation

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Of evaluates the observations of a receipt: which checks hold, whether the case went as its scenario expects, and what
// it says of the candidate. Of is pure. The engine fills a receipt with its results; a gate calls it again and refuses a
// receipt that claims other results. Of ignores the receipt's own Checks, Verdict and Disposition.
//
// A receipt of an unknown scenario is FAILED, because no expectations are known that it could meet.
func Of(r statement.Receipt) ([]statement.Check, statement.Verdict, statement.Disposition) {
	return evaluate(&r, false)
}

// evaluate does the work of Of. A terse evaluation leaves Want and Got of its checks empty.
func evaluate(r *statement.Receipt, terse bool) ([]statement.Check, statement.Verdict, statement.Disposition) {
	h := historyOf(r)
	disposition := h.disposition()
	checks := checklist{checks: make([]statement.Check, 0, 32), terse: terse}
	h.checkRun(&checks)
	h.checkHistory(&checks)
	h.checkFleet(&checks)
	h.checkScenario(&checks, disposition)
	return checks.checks, h.verdict(checks.checks), disposition
}

// checklist collects checks in a fixed order.
type checklist struct {
	checks []statement.Check
	terse  bool
}

// add adds a check with what it wants and what was found.
func (l *checklist) add(name string, ok bool, want, found func() string) {
	check := statement.Check{Name: name, OK: ok}
	if !l.terse {
		check.Want, check.Got = want(), found()
	}
	l.checks = append(l.checks, check)
}

// require adds a check that holds if problem is empty. The check says what was found, or else what the problem is.
func (l *checklist) require(name, want string, found func() string, problem string) {
	check := statement.Check{Name: name, OK: problem == ""}
	if !l.terse {
		check.Want, check.Got = want, problem
		if problem == "" {
			check.Got = found()
		}
	}
	l.checks = append(l.checks, check)
}

// constant returns a function that returns text.
func constant(text string) func() string { return func() string { return text } }

// verdict derives the verdict from the checks. After a fault outside the product nothing is known of the candidate. If
// only the watch broke, the fleet probably stayed untouched, but nothing proves it.
func (h *history) verdict(checks []statement.Check) statement.Verdict {
	if h.Fault != nil && h.Fault.Class != statement.FaultProduct {
		return statement.Error
	}
	verdict := statement.Passed
	for _, check := range checks {
		switch {
		case check.OK:
		case check.Name == "fleet-watched":
			verdict = statement.Inconclusive
		default:
			return statement.Failed
		}
	}
	return verdict
}

// faultProblem names the fault that ended the rehearsal.
func (h *history) faultProblem() string {
	f := h.Fault
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s fault in step %s: %s", f.Class, f.Step, f.Message)
}
