package scenarios

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// underReference returns the receipts of a run under an operator that does everything.
func underReference() []statement.Receipt {
	var played []statement.Receipt
	for _, c := range Cases() {
		receipt := receiptstest.Receipt(c.Scenario)
		receipt.Environment.Operator.Features = []string{"extra-claims"}
		played = append(played, receipt)
	}
	return played
}

// underGameplane returns the receipts of a run under an operator whose backups leave out extra claims, and whose Restore
// leaves the candidate's files.
func underGameplane(t *testing.T) []statement.Receipt {
	t.Helper()
	played := underReference()
	for i, receipt := range played {
		receipt.Environment.Operator.Features = nil
		if restored := receiptstest.At(&receipt, statement.Restored); restored != nil {
			restored.World.FormatMarker = "3955"
		}
		played[i] = evaluation.Complete(receipt)
	}
	return played
}

func TestDeviations(t *testing.T) {
	t.Parallel()
	ended := underReference()
	ended[0].Fault = &statement.Fault{Step: "seed", Class: statement.FaultHarness}
	const noWayBack = "blocked/no-way-back"
	for name, test := range map[string]struct {
		cases  []Case
		played []statement.Receipt
		want   []string
	}{
		"reference, as expected": {Cases(), underReference(), nil},
		"gameplane, as expected": {GameplaneCases(), underGameplane(t), nil},
		"reference that does not delete": {Cases(), underGameplane(t), []string{
			"format-changing: expected PASSED promotable/restore-required; seen PASSED " + noWayBack,
			"restore-required: expected PASSED promotable/restore-required; seen FAILED " + noWayBack + " with the failed checks disposition, save-back",
		}},
		"gameplane that deletes": {GameplaneCases()[4:], underReference(), []string{
			"restore-required: expected FAILED " + noWayBack + " with the failed checks disposition, save-back; seen PASSED promotable/restore-required",
		}},
		"not played":  {Cases()[:1], nil, []string{"bad-image/unpullable: expected PASSED blocked/image-pull; seen no receipt"}},
		"ended early": {Cases()[:1], ended, []string{"bad-image/unpullable: expected PASSED blocked/image-pull; seen an early end at seed (harness)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Deviations(test.cases, test.played)); diff != "" {
				t.Errorf("deviations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	if got := Limits(underReference()); got != nil {
		t.Errorf("reference: %q", got)
	}
	if got := Limits(underGameplane(t)); len(got) != 2 {
		t.Errorf("gameplane: %q", got)
	}
	if got := Limits(nil); got != nil {
		t.Errorf("without receipts: %q", got)
	}
}
