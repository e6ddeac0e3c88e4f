package gate

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// uncovered are the demands of the policy that the counting receipts leave open, and why other receipts do not count.
func (d *admission) uncoveredDemands(r assessment) []Reason {
	var reasons []Reason
	for _, architecture := range d.policy.Architectures {
		runs := independentRuns(r.counting, func(r *record) bool { return r.Architecture == architecture && d.isCandidate(r) })
		if runs < d.policy.Runs {
			message := fmt.Sprintf("On %s the candidate passed, and counts, in %s.", architecture, d.ofRuns(runs))
			reasons = append(reasons, Reason{Code: refusal.CandidateNotRehearsed, Message: message, Cell: architecture})
		}
		for _, scenario := range d.policy.Scenarios {
			runs := independentRuns(r.counting, func(r *record) bool {
				// The others are played with games of the suite's own. A user's update says something of its candidate alone.
				return r.Architecture == architecture && r.Scenario == scenario && (scenario != statement.ScenarioUpdate || d.isCandidate(r))
			})
			if runs < d.policy.Runs && !d.waives(refusal.RequiredCellMissing) {
				cell := statement.Cell{Architecture: architecture, Scenario: scenario}.Name()
				message := fmt.Sprintf("%s passed, and counts, in %s.", cell, d.ofRuns(runs))
				reasons = append(reasons, Reason{Code: refusal.RequiredCellMissing, Message: message, Cell: cell})
			}
		}
	}
	if len(reasons) > 0 {
		reasons = append(reasons, r.unmet...)
	}
	return reasons
}

func (d *admission) ofRuns(runs int) string {
	return fmt.Sprintf("%d of %d wanted runs", runs, d.policy.Runs)
}

// independentRuns counts runs that differ in their id and in their cluster, which must be known where there is more than
// one.
func independentRuns(records []*record, which func(*record) bool) int {
	runs, clusters := make(map[string]bool), make(map[string]bool)
	for _, r := range records {
		if which(r) {
			runs[r.Run] = true
			if r.cluster != "" {
				clusters[r.cluster] = true
			}
		}
	}
	return min(len(runs), max(len(clusters), 1))
}
