// Package scenarios is the suite that qualifies an operator: an update of a game server goes wrong, and right, in
// every way that matters, each time on a clone restored from one real backup. The cases are data; the engine that
// plays them is harness/rehearse, the same that plays a user's own update.
package scenarios

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Case is a scenario with its fixture candidate and what must come out.
type Case struct {
	Scenario    string
	Candidate   Game
	Disposition statement.Disposition
}

// Cases returns every case of the suite.
func Cases() []Case {
	return []Case{
		{"bad-image/unpullable", Unpullable, statement.Blocked(statement.ReasonImagePull)},
		{"bad-image/http-only", HTTPOnly, statement.Blocked(statement.ReasonJoinFailed)},
		{"format-changing", NewFormat, statement.RestoreRequired},
		{"compatible-rollback", NewBuild, statement.CompatibleRollback},
		{"restore-required", NewFormat, statement.RestoreRequired},
	}
}

// gamesOf are the games that have to be built for some cases: the baseline, and each candidate once.
func gamesOf(cases []Case) []Game {
	games := []Game{Baseline}
	for _, c := range cases {
		if c.Candidate != Unpullable && !slices.Contains(games, c.Candidate) {
			games = append(games, c.Candidate)
		}
	}
	return games
}
