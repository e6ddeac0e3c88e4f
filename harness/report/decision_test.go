package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// The causes come first, what follows from them next. A promotion names the override that it rests on.
func TestDecision(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 11, 9, 0, 0, 0, time.UTC)
	override := gate.OverrideReport{By: "Ada", Reason: "tried\x1b by hand", ExpiresAt: at, Used: []refusal.Code{refusal.DispositionNotAllowed}}
	hold := gate.Decision{
		At: at, Question: gate.Question{Candidate: "sha256:c"},
		Reasons: []gate.Reason{
			{Code: refusal.CandidateNotRehearsed, Message: "Not rehearsed.", Cell: "amd64"},
			{Code: refusal.CandidateBlocked, Message: "Blocked\x1b.", Cell: "amd64/update"},
		},
		Inputs:     []gate.InputReport{{Name: "result", Code: refusal.NotEvidence}, {Name: "x\x1b", Code: refusal.EnvelopeMalformed, Detail: "no JSON"}, {Name: "good"}},
		Unreported: 2, Overrides: []gate.OverrideReport{override},
	}
	promote := gate.Decision{
		Promote: true, Question: hold.Question, Overrides: hold.Overrides,
		Cells: []gate.CellReport{{Architecture: "amd64", Scenario: "update", Run: "run-1", Disposition: statement.CompatibleRollback}, {Architecture: "amd64", Scenario: "x", Run: "run-1"}},
	}
	for name, tt := range map[string]struct {
		d    gate.Decision
		asOf bool
		want string
	}{
		"hold": {hold, true, `HOLD  sha256:c
  as of 2026-11-11T09:00:00Z
  candidate-blocked: Blocked�.
  so also candidate-not-rehearsed: Not rehearsed.
  refused x�: envelope-malformed: no JSON
  not listed: 2 copies and documents that not enough trusted keys signed
`},
		"promote": {promote, false, `PROMOTE  sha256:c
  by an override of Ada until 2026-11-11T09:00:00Z: tried� by hand (waives [disposition-not-allowed])
  counts  amd64/update  promotable/compatible-rollback  run run-1
  counts  amd64/x  self-test of the harness  run run-1
`},
	} {
		var out strings.Builder
		Decision(&out, tt.d, tt.asOf)
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A page says who vouches for it.
func TestDocumentSignedBy(t *testing.T) {
	t.Parallel()
	receipt := receiptstest.Receipt(statement.ScenarioUpdate)
	key := receiptstest.Public(receiptstest.ECDSA("harness"))
	for want, d := range map[string]*attestation.Document{
		"signed NOT VERIFIED: no key was given, nobody vouches for this page verdict": {Receipt: &receipt},
		"signed by " + key.ID() + " verdict":                                          {Receipt: &receipt, SignedBy: []dsse.Key{key}},
	} {
		var out strings.Builder
		Document(&out, "name", d)
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.HasPrefix(got, "name digest") || !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
