package scenarios

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// brokenNamespace holds a separate fleet, for which the tests cause faults.
const brokenNamespace = "broken"

// defects are the defects of the operator in brokenNamespace. It has none in other namespaces.
var defects = []string{
	"skip-restore@" + brokenNamespace + "/clone-restore-required-rollback",
	"wrong-digest@" + brokenNamespace + "/clone-format-changing",
}

// TestDefectsAreNoticed checks that each scenario fails for the defect that the test causes. A suite that always passes
// would qualify any operator.
func TestDefectsAreNoticed(t *testing.T) {
	fleet, err := onStage(t).Fleet(suiteContext, brokenNamespace)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("parallel", func(t *testing.T) {
		for _, test := range []struct {
			name        string
			c           Case
			disposition statement.Disposition
			failed      []string // checks that must not hold
		}{
			{
				name:        "game that loses the extra world",
				c:           Case{Scenario: "compatible-rollback", Candidate: games.LosesExtra},
				disposition: statement.Blocked(statement.ReasonWorldLost),
				failed:      []string{"candidate-reached", "disposition", "rollback-reached"},
			},
			{
				name:        "game that loses chunks",
				c:           Case{Scenario: "bad-image/http-only", Candidate: games.LosesChunks},
				disposition: statement.Blocked(statement.ReasonWorldLost),
				failed:      []string{"candidate-blocked", "http-served-marker"}, // the baseline then generates new chunks
			},
			{
				name:        "restore that is skipped",
				c:           Case{Scenario: "restore-required", Candidate: games.NewFormat},
				disposition: statement.Blocked(statement.ReasonNoWayBack),
				failed:      []string{"disposition", "save-back", "world-back"},
			},
			{
				name:        "candidate's digest is not the one that runs",
				c:           Case{Scenario: "format-changing", Candidate: games.NewFormat},
				disposition: statement.Blocked(statement.ReasonWrongImage),
				failed:      []string{"candidate-image", "candidate-reached", "data-version-grew", "format-marker-present", "rollback-refused"},
			},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				receipt := playBroken(t, fleet, test.c)
				assertFailed(t, receipt, test.disposition, test.failed)
			})
		}
	})
	// This one comes last, because it makes every rehearsal that runs at the same time fail.
	t.Run("fleet member that is restarted", func(t *testing.T) {
		err := onStage(t).Client().CoreV1().Pods(brokenNamespace).Delete(t.Context(), "fleet-b-0", metav1.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		receipt := playBroken(t, fleet, Case{Scenario: "bad-image/unpullable", Candidate: games.Unpullable})
		assertFailed(t, receipt, statement.Blocked(statement.ReasonImagePull), []string{"fleet-untouched"})
	})
}

func playBroken(t *testing.T, fleet *rehearse.Fleet, c Case) statement.Receipt {
	t.Helper()
	signer, err := dsse.GenerateKey(dsse.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	id := "broken-" + filepath.Base(c.Scenario)
	run, err := Begin(onStage(t), []Case{c}, rehearse.RunConfig{Dir: filepath.Join(onStage(t).Out(), id), ID: id, Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	played, err := fleet.Play(suiteContext, run, 1)
	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}
	return played[0]
}

func assertFailed(t *testing.T, receipt statement.Receipt, disposition statement.Disposition, want []string) {
	t.Helper()
	if receipt.Fault != nil {
		t.Errorf("fault (%s) at %s: %s", receipt.Fault.Class, receipt.Fault.Step, receipt.Fault.Message)
	}
	if receipt.Verdict != statement.Failed || receipt.Disposition != disposition {
		t.Errorf("got %s with %s, want %s with %s", receipt.Verdict, receipt.Disposition, statement.Failed, disposition)
	}
	// The operator announces its defects, which fails operator-sound. Each defect must show in the observations too.
	want = slices.Sorted(slices.Values(append(want, "operator-sound")))
	if diff := cmp.Diff(want, failedChecks(receipt)); diff != "" {
		t.Errorf("failed checks (-want +got):\n%s", diff)
	}
}
