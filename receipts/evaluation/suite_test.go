package evaluation_test

import (
	"slices"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// A case needs the claims that its server can have: a user's server may have the world alone.
func TestSuiteCompleteAsksForTheClaimsThatTheServerCanHave(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fixture  bool
		features []string
		drop     []string
		want     bool
	}{
		"all three":                            {true, []string{"extra-claims"}, nil, true},
		"no extra, which backups would hold":   {true, []string{"extra-claims"}, []string{statement.Extra}, false},
		"no extra, which no backup would hold": {true, nil, []string{statement.Extra}, true},
		"no mods":                              {true, nil, []string{statement.Mods}, false},
		"user's server with the world alone":   {false, []string{"extra-claims"}, []string{statement.Extra, statement.Mods}, true},
		"user's server without a world":        {false, nil, []string{statement.Primary}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(statement.ScenarioHTTPOnly, "amd64")
			r.Baseline.Fixture, r.Environment.Operator.Features = tt.fixture, tt.features
			for i := range r.Checkpoints {
				r.Checkpoints[i].Claims = slices.DeleteFunc(r.Checkpoints[i].Claims, func(c statement.Claim) bool { return slices.Contains(tt.drop, c.Role) })
			}
			checks, _, _ := evaluation.Of(r)
			i := slices.IndexFunc(checks, func(c statement.Check) bool { return c.Name == "suite-complete" })
			if i < 0 || checks[i].OK != tt.want {
				t.Errorf("%+v, want %t", checks[i], tt.want)
			}
		})
	}
}
