// Package evaluation derives from the observations of a receipt its checks, its verdict and its disposition.
//
// Of is the entry. A history gives the receipt's checkpoints by name; a finding says why a checkpoint does not show what
// it must.
package evaluation

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Evaluate derives from the observations of a receipt what holds, whether the case went as it must, and what it says
// of the candidate. It is pure: the engine fills a receipt with it, and a gate calls it again and refuses a receipt
// that claims anything else. Checks, Verdict and Disposition of the receipt are not looked at.
//
// An unknown scenario is FAILED: nothing is expected of it that could hold.
func Of(r statement.Receipt) ([]statement.Check, statement.Verdict, statement.Disposition) {
	return evaluate(&r, false)
}

// evaluate is Evaluate; where it is terse, the checks say nothing of what they want and found.
func evaluate(r *statement.Receipt, terse bool) ([]statement.Check, statement.Verdict, statement.Disposition) {
	c := historyOf(r)
	disposition := c.disposition()
	checks := checklist{checks: make([]statement.Check, 0, 32), terse: terse}
	c.checkRun(&checks)
	c.checkHistory(&checks)
	c.checkFleet(&checks)
	c.checkScenario(&checks, disposition)
	return checks.checks, c.verdict(checks.checks), disposition
}

// checklist gathers checks in a fixed order.
type checklist struct {
	checks []statement.Check
	terse  bool
}

// add adds a check that says what was found.
func (l *checklist) add(name string, ok bool, want, found func() string) {
	check := statement.Check{Name: name, OK: ok}
	if !l.terse {
		check.Want, check.Got = want(), found()
	}
	l.checks = append(l.checks, check)
}

// hold adds a check that holds where there is no problem. It says what was found, or else what the problem is.
func (l *checklist) hold(name, want string, found func() string, problem string) {
	check := statement.Check{Name: name, OK: problem == ""}
	if !l.terse {
		check.Want, check.Got = want, problem
		if problem == "" {
			check.Got = found()
		}
	}
	l.checks = append(l.checks, check)
}

// say is a text that needs no looking up.
func say(text string) func() string { return func() string { return text } }

// verdict weighs the checks. A fault outside the product says that nothing is known; a broken watch alone says that
// the fleet was probably, but not provably, left alone.
func (c *history) verdict(checks []statement.Check) statement.Verdict {
	if c.Fault != nil && c.Fault.Class != statement.FaultProduct {
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
func (c *history) faultProblem() string {
	f := c.Fault
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s fault in step %s: %s", f.Class, f.Step, f.Message)
}
