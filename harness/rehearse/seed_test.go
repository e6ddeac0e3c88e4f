package rehearse

import (
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestSeedProblemIsNamedByContent(t *testing.T) {
	t.Parallel()
	const marker = "0123456789abcdef"
	claim := func(files int, marker string) []statement.Claim {
		return []statement.Claim{{Role: statement.Primary, Read: true, Files: files, Marker: marker}}
	}
	for want, before := range map[string]statement.Checkpoint{
		"could not be read":            {Reason: statement.ReasonCrash},
		"wrote nothing":                {Reason: statement.ReasonWorldLost, Claims: claim(0, "")},
		"may not write":                {Reason: statement.ReasonCrash, Message: "open /data/level.dat: permission denied", Claims: claim(9, marker)},
		"of another server or claim":   {Reason: statement.ReasonWorldLost, Claims: claim(9, "fedcba9876543210")},
		"older than the save":          {Reason: statement.ReasonWorldLost, Claims: claim(9, "")},
		"was not flushed":              {Reason: statement.ReasonWorldLost, Claims: claim(9, marker)},
		"the baseline does not run on": {Reason: statement.ReasonNotReady, Claims: claim(9, marker)},
	} {
		if got := seedProblem(before, marker); !strings.Contains(got, want) {
			t.Errorf("%+v is named %q, want %q", before, got, want)
		}
	}
}
