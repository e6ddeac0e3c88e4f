package gate

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// uncoveredDemands returns the demands of the policy that the counting receipts do not meet, and why other receipts do
// not count.
func (a *admission) uncoveredDemands(assessed assessment) []Reason {
	var reasons []Reason
	for _, architecture := range a.policy.Architectures {
		runs := independentRuns(assessed.counting, func(r *record) bool { return r.Architecture == architecture && a.isCandidate(r) })
		if runs < a.policy.Runs {
			message := fmt.Sprintf("On %s the candidate passed, and counts, in %s.", architecture, a.runsOfWanted(runs))
			reasons = append(reasons, Reason{Code: refusal.CandidateNotRehearsed, Message: message, Cell: architecture})
		}
		for _, scenario := range a.policy.Scenarios {
			runs := independentRuns(assessed.counting, func(r *record) bool {
				// Any candidate of the run can cover a scenario of the suite. A user's update covers only its own candidate.
				return r.Architecture == architecture && r.Scenario == scenario && (scenario != statement.ScenarioUpdate || a.isCandidate(r))
			})
			if runs < a.policy.Runs && !a.waives(refusal.RequiredCellMissing) {
				cell := statement.Cell{Architecture: architecture, Scenario: scenario}.Name()
				message := fmt.Sprintf("%s passed, and counts, in %s.", cell, a.runsOfWanted(runs))
				reasons = append(reasons, Reason{Code: refusal.RequiredCellMissing, Message: message, Cell: cell})
			}
		}
	}
	if len(reasons) > 0 {
		reasons = append(reasons, assessed.unmet...)
	}
	return reasons
}

func (a *admission) runsOfWanted(runs int) string {
	return fmt.Sprintf("%d of %d wanted runs", runs, a.policy.Runs)
}

// independentRuns counts the runs that differ in their id and in their cluster. A run whose cluster is unknown never counts
// in addition to another run.
func independentRuns(records []*record, matches func(*record) bool) int {
	runs, clusters := make(map[string]bool), make(map[string]bool)
	for _, r := range records {
		if matches(r) {
			runs[r.Run] = true
			if r.cluster != "" {
				clusters[r.cluster] = true
			}
		}
	}
	return min(len(runs), max(len(clusters), 1))
}
