package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Each run has its own registry, so images have other names and templates, which hold these, other digests. How often a
// refused game was started again depends on when one looks.
func TestRunsThatWentTheSameWay(t *testing.T) {
	t.Parallel()
	run := func(registry string, restarts int) statement.Receipt {
		r := receiptstest.Observations(statement.ScenarioRestoreRequired, "amd64")
		r.Environment.Restic = registry + "/restic@" + receiptstest.Digest("restic")
		for _, revision := range []*statement.Revision{&r.Baseline, &r.Candidate} {
			revision.Image = registry + "/game@" + revision.Digest
			revision.TemplateDigest = receiptstest.Digest(registry + revision.TemplateDigest)
		}
		for i := range r.Checkpoints {
			cp := &r.Checkpoints[i]
			cp.Pod.Image, cp.Pod.ImageID = registry+"/game@"+cp.Revision, registry+"/game@"+cp.Revision
			if cp.Outcome == statement.Refused {
				cp.Pod.Restarts = restarts
				cp.Message += " in " + cp.Pod.Image + " on pvc-" + cp.Claims[0].UID
				cp.Claims[0].Volume = "pvc-" + cp.Claims[0].UID
			}
		}
		r.Fleet[0].Pending = r.Candidate.TemplateDigest
		r.Fleet[0].ImageID = r.Baseline.Image
		return evaluation.Complete(r)
	}
	a, b := run("run-a-registry:5000", 0), run("run-b-registry:5000", 3)
	if a.Verdict != statement.Passed || b.Verdict != statement.Passed {
		t.Fatalf("verdicts %s and %s", a.Verdict, b.Verdict)
	}
	if diff := cmp.Diff(factsOf(&a), factsOf(&b)); diff != "" {
		t.Errorf("they differ:\n%s", diff)
	}
	for range 20 { // the order of a map must not show
		if diff := cmp.Diff(factsOf(&a), factsOf(&a)); diff != "" {
			t.Fatalf("a receipt differs from itself:\n%s", diff)
		}
	}
	b.Fleet[0].Pending = receiptstest.Digest("something else")
	if cmp.Equal(factsOf(&a), factsOf(&b)) {
		t.Error("another offer to the fleet makes no difference")
	}
}

// How much land joins generate is chance. That some is gone is not.
func TestLostLandAndPlayersDiffer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(w *statement.World)
		want   string
	}{
		"new land":      {func(w *statement.World) { w.Chunks += 10 }, ""},
		"lost land":     {func(w *statement.World) { w.Chunks-- }, "Checkpoints.candidate.World.Land: no less than at first → less than at first\n"},
		"lost all land": {func(w *statement.World) { w.Chunks = 0 }, "Checkpoints.candidate.World.Land: no less than at first → none\n"},
		"lost players":  {func(w *statement.World) { w.Players-- }, "Checkpoints.candidate.World.Players: 3 → 2\n"},
	} {
		a := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		b := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		test.change(b.Checkpoints[1].World)
		var out strings.Builder
		Differences(&out, &a, &b)
		if out.String() != test.want {
			t.Errorf("%s: %q, want %q", name, out.String(), test.want)
		}
	}
}
