// Package scenarios is the suite that qualifies an operator: an update of a game server goes wrong, and right, in
// every way that matters, each time on a clone restored from one real backup. The cases are data; the engine that
// plays them is harness/rehearse, the same that plays a user's own update.
package scenarios

import (
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// Case is a scenario with its fixture candidate and what must come out.
type Case struct {
	Scenario    string
	Candidate   Game
	Disposition receipts.Disposition
}

// Cases returns every case of the suite.
func Cases() []Case {
	return []Case{
		{"bad-image/unpullable", Unpullable, receipts.Blocked(receipts.ReasonImagePull)},
		{"bad-image/http-only", HTTPOnly, receipts.Blocked(receipts.ReasonJoinFailed)},
		{"format-changing", NewFormat, receipts.RestoreRequired},
		{"compatible-rollback", NewBuild, receipts.CompatibleRollback},
		{"restore-required", NewFormat, receipts.RestoreRequired},
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
