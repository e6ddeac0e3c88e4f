package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Deviations compares the receipts of a run with what its cases expect, and describes each difference in a line.
func Deviations(cases []Case, played []statement.Receipt) []string {
	var lines []string
	for _, c := range cases {
		seen := "no receipt"
		i := slices.IndexFunc(played, func(r statement.Receipt) bool { return r.Run.Scenario == c.Scenario })
		if i >= 0 {
			seen = outcome(played[i])
		}
		if want := c.outcome(); seen != want {
			lines = append(lines, fmt.Sprintf("%s: expected %s; seen %s", c.Scenario, want, seen))
		}
	}
	return lines
}

func (c Case) outcome() string {
	if len(c.Failed) == 0 {
		return describe(statement.Passed, c.Disposition, nil)
	}
	return describe(statement.Failed, c.Disposition, c.Failed)
}

func outcome(receipt statement.Receipt) string {
	if fault := receipt.Fault; fault != nil {
		return fmt.Sprintf("an early end at %s (%s)", fault.Step, fault.Class)
	}
	return describe(receipt.Verdict, receipt.Disposition, failedChecks(receipt))
}

func describe(verdict statement.Verdict, disposition statement.Disposition, failed []string) string {
	text := fmt.Sprintf("%s %s", verdict, disposition)
	if len(failed) > 0 {
		text += " with the failed checks " + strings.Join(failed, ", ")
	}
	return text
}

// failedChecks returns the names of the checks that do not hold, sorted.
func failedChecks(receipt statement.Receipt) []string {
	var failed []string
	for _, check := range receipt.Checks {
		if !check.OK {
			failed = append(failed, check.Name)
		}
	}
	return slices.Sorted(slices.Values(failed))
}

// Limits says in plain words what the operator of a run cannot do for the worlds of its servers, as the receipts show it.
func Limits(played []statement.Receipt) []string {
	var lines []string
	if len(played) > 0 && !slices.Contains(played[0].Environment.Operator.Features, "extra-claims") {
		lines = append(lines, "its backups hold no extra claims: worlds there do not come back with a Restore (the servers of this run have no extra claim)")
	}
	if slices.ContainsFunc(played, leavesNewerFiles) {
		lines = append(lines, "its Restore leaves files that are newer than the snapshot: what an update added to a world stays in it")
	}
	return lines
}

// leavesNewerFiles: the Restore succeeded and brought the marker back, and the candidate's files are still there.
func leavesNewerFiles(receipt statement.Receipt) bool {
	failed := failedChecks(receipt)
	return receipt.Fault == nil && slices.Contains(failed, "save-back") && !slices.Contains(failed, "world-back")
}
