package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// A reason that follows from another one is left out, and only then.
func TestCauses(t *testing.T) {
	t.Parallel()
	reason := func(code refusal.Code, cell string) gate.Reason { return gate.Reason{Code: code, Cell: cell} }
	blocked := reason(refusal.CandidateBlocked, "amd64/update")
	missing, elsewhere := reason(refusal.RequiredCellMissing, "amd64/update"), reason(refusal.RequiredCellMissing, "amd64/bad-image/unpullable")
	here, there := reason(refusal.CandidateNotRehearsed, "amd64"), reason(refusal.CandidateNotRehearsed, "arm64")
	expired := reason(refusal.PolicyExpired, "")
	for name, tt := range map[string]struct{ all, want []gate.Reason }{
		"blocked":              {[]gate.Reason{blocked, here, missing}, []gate.Reason{blocked}},
		"another cell":         {[]gate.Reason{blocked, here, missing, elsewhere}, []gate.Reason{blocked, elsewhere}},
		"another architecture": {[]gate.Reason{blocked, here, there}, []gate.Reason{blocked, there}},
		"of the policy":        {[]gate.Reason{expired, here, missing}, []gate.Reason{expired, here, missing}},
		"nothing else":         {[]gate.Reason{here, missing}, []gate.Reason{here, missing}},
	} {
		if diff := cmp.Diff(tt.want, gate.Causes(tt.all)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
