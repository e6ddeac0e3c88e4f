// Package scenarios is the suite that qualifies an operator: an update of a game server goes wrong, and right, in
// every way that matters, each time on a clone restored from one real backup. The cases are data; the engine that
// plays them is harness/rehearse, the same that plays a user's own update.
package scenarios

import (
	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Case is a scenario with its fixture candidate and what must come out.
type Case struct {
	Scenario    string
	Candidate   games.Game
	Disposition statement.Disposition
}

// Cases returns every case of the suite.
func Cases() []Case {
	return []Case{
		{"bad-image/unpullable", games.Unpullable, statement.Blocked(statement.ReasonImagePull)},
		{"bad-image/http-only", games.HTTPOnly, statement.Blocked(statement.ReasonJoinFailed)},
		{"format-changing", games.NewFormat, statement.RestoreRequired},
		{"compatible-rollback", games.NewBuild, statement.CompatibleRollback},
		{"restore-required", games.NewFormat, statement.RestoreRequired},
	}
}

// Games are the candidates of some cases, for the stage to build.
func Games(cases []Case) []games.Game {
	var all []games.Game
	for _, c := range cases {
		all = append(all, c.Candidate)
	}
	return all
}
