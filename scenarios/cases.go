// Package scenarios is the suite that qualifies an operator. Its cases are updates that go right or wrong, each played on a
// clone that is restored from one real backup. The cases are data. Package harness/rehearse plays them, as it plays a user's
// own update.
package scenarios

import (
	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Case is a scenario with its fixture candidate and the expected disposition.
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

// Games returns the candidates of the cases, for the stage to build.
func Games(cases []Case) []games.Game {
	var all []games.Game
	for _, c := range cases {
		all = append(all, c.Candidate)
	}
	return all
}
