// Package scenarios is the suite that qualifies an operator. Its cases are updates that go right or wrong, each played on a
// clone that is restored from one real backup. The cases are data. Package harness/rehearse plays them, as it plays a user's
// own update.
package scenarios

import (
	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Case is a scenario with its fixture candidate, and what an operator is expected to make of it.
type Case struct {
	Scenario    string
	Candidate   games.Game
	Disposition statement.Disposition
	// Failed names the checks that do not hold, sorted. The verdict is then FAILED; without them it is PASSED.
	Failed []string
}

// Cases returns every case of the suite, with what an operator has to make of it.
func Cases() []Case {
	return []Case{
		{Scenario: "bad-image/unpullable", Candidate: games.Unpullable, Disposition: statement.Blocked(statement.ReasonImagePull)},
		{Scenario: "bad-image/http-only", Candidate: games.HTTPOnly, Disposition: statement.Blocked(statement.ReasonJoinFailed)},
		{Scenario: "format-changing", Candidate: games.NewFormat, Disposition: statement.RestoreRequired},
		{Scenario: "compatible-rollback", Candidate: games.NewBuild, Disposition: statement.CompatibleRollback},
		{Scenario: "restore-required", Candidate: games.NewFormat, Disposition: statement.RestoreRequired},
	}
}

// GameplaneCases returns the same cases with what Gameplane's own operator makes of them today. Its Restore leaves the
// files that the candidate added: once a candidate has rewritten the save, the old version does not get its save back.
func GameplaneCases() []Case {
	noWayBack := statement.Blocked(statement.ReasonNoWayBack)
	cases := Cases()
	for i := range cases {
		switch cases[i].Scenario {
		case "format-changing":
			cases[i].Disposition = noWayBack
		case "restore-required":
			cases[i].Disposition, cases[i].Failed = noWayBack, []string{"disposition", "save-back"}
		}
	}
	return cases
}

// Games returns the candidates of the cases, for the stage to build.
func Games(cases []Case) []games.Game {
	var all []games.Game
	for _, c := range cases {
		all = append(all, c.Candidate)
	}
	return all
}
