package receipts

import (
	"fmt"
	"slices"
)

// Evaluate derives from the observations of a receipt what holds, whether the case went as it must, and what it says
// of the candidate. It is pure: the engine fills a receipt with it, and a gate calls it again and refuses a receipt
// that claims anything else. Checks, Verdict and Disposition of the receipt are not looked at.
//
// An unknown scenario is FAILED: nothing is expected of it that could hold.
func Evaluate(r Receipt) ([]Check, Verdict, Disposition) {
	return evaluate(&r, false)
}

// evaluate is Evaluate; where it is terse, the checks say nothing of what they want and found.
func evaluate(r *Receipt, terse bool) ([]Check, Verdict, Disposition) {
	c := courseOf(r)
	disposition := c.disposition()
	checks := checklist{checks: make([]Check, 0, 32), terse: terse}
	c.checkRun(&checks)
	c.checkCourse(&checks)
	c.checkFleet(&checks)
	c.checkScenario(&checks, disposition)
	return checks.checks, c.verdict(checks.checks), disposition
}

// checklist gathers checks in a fixed order.
type checklist struct {
	checks []Check
	terse  bool
}

// add adds a check that says what was found.
func (l *checklist) add(name string, ok bool, want, found func() string) {
	check := Check{Name: name, OK: ok}
	if !l.terse {
		check.Want, check.Got = want(), found()
	}
	l.checks = append(l.checks, check)
}

// hold adds a check that holds where there is no problem. It says what was found, or else what the problem is.
func (l *checklist) hold(name, want string, found func() string, problem string) {
	check := Check{Name: name, OK: problem == ""}
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

// disposition is what the course says of the candidate.
func (c *course) disposition() Disposition {
	if s := c.candidateReached(); !s.none() {
		return Blocked(s.reason)
	}
	back := c.rolledBack()
	if back.none() {
		return CompatibleRollback
	}
	// A restore is the way back only where going back without one was tried and did not work.
	refusals := []RefusalReason{ReasonNewerWorld, ReasonCrash, ReasonJoinFailed, ReasonNotReady}
	tried := back.reason == ReasonWorldLost || c.rollback != nil && c.rollback.Outcome == Refused && slices.Contains(refusals, back.reason)
	// What the candidate did not save before it stopped is lost by the candidate: a restore brings none of it back.
	if !tried || traceLost(c.rollback) {
		return Blocked(back.reason)
	}
	s := c.broughtBack()
	if s.none() {
		return RestoreRequired
	}
	if s.reason == ReasonUnfinished || s.reason == ReasonUnproven {
		return Blocked(s.reason)
	}
	return Blocked(ReasonNoWayBack)
}

// verdict weighs the checks. A fault outside the product says that nothing is known; a broken watch alone says that
// the fleet was probably, but not provably, left alone.
func (c *course) verdict(checks []Check) Verdict {
	if c.Fault != nil && c.Fault.Class != FaultProduct {
		return Error
	}
	verdict := Passed
	for _, check := range checks {
		switch {
		case check.OK:
		case check.Name == "fleet-watched":
			verdict = Inconclusive
		default:
			return Failed
		}
	}
	return verdict
}

// faultProblem names the fault that ended the rehearsal.
func (c *course) faultProblem() string {
	f := c.Fault
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s fault in step %s: %s", f.Class, f.Step, f.Message)
}
