package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// assessment is a requirement on a receipt. It reads the observations and not the receipt's checks, because this suite also
// tests the code that derives the checks.
type assessment struct {
	what  string
	check func(t *testing.T, c Case, receipt statement.Receipt)
}

// always holds the assessments that apply to every candidate.
var always = []assessment{
	{"passes with its disposition", assessVerdict},
	{"claims keep their UIDs", assessClaims},
	{"fleet members keep their pods", assessBystander},
	{"mods keep the clone's own value", assessMods},
	{"journal holds the baseline alone", assessJournal},
	{"ends on the baseline with its world", assessEnd},
}

// expected holds the assessments of each scenario.
var expected = map[string][]assessment{
	"bad-image/unpullable": {{"blocked with the kubelet's reason", assessUnpullable}},
	"bad-image/http-only":  {{"serves the marker, and nobody joins", assessHTTPOnly}},
	"format-changing":      {{"save is rewritten and then refused", assessRewritten}},
	"compatible-rollback":  {{"save is read directly", assessDirect}},
	"restore-required": {
		{"save is rewritten and then refused", assessRewritten},
		{"snapshot brings the world back", assessRestored},
	},
}

func TestScenarios(t *testing.T) {
	var all []types.Feature
	for _, c := range Cases() {
		all = append(all, featureOf(t, c))
	}
	suite.TestInParallel(t, all...)
}

func featureOf(t *testing.T, c Case) types.Feature {
	t.Helper()
	own, ok := expected[c.Scenario]
	if !ok {
		t.Fatalf("nothing is expected of scenario %s: add its assessments", c.Scenario)
	}
	feature := features.New(c.Scenario).WithLabel("disposition", string(c.Disposition))
	for _, a := range slices.Concat(always, own) {
		feature.Assess(a.what, func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			a.check(t, c, complete(t, c))
			return ctx
		})
	}
	return feature.Feature()
}

// complete returns the receipt of a case that was played to its end. It fails the test for any other receipt.
func complete(t *testing.T, c Case) statement.Receipt {
	t.Helper()
	receipt := played(t, c)
	if receipt.Fault != nil {
		t.Fatalf("fault (%s) at %s: %s", receipt.Fault.Class, receipt.Fault.Step, receipt.Fault.Message)
	}
	if len(receipt.Checkpoints) == 0 {
		t.Fatal("no checkpoint")
	}
	return receipt
}

func assessVerdict(t *testing.T, c Case, receipt statement.Receipt) {
	for _, check := range receipt.Checks {
		if !check.OK {
			t.Errorf("check %s: want %s, got %s", check.Name, check.Want, check.Got)
		}
	}
	if receipt.Verdict != statement.Passed || receipt.Disposition != c.Disposition {
		t.Errorf("got %s with %s, want %s with %s", receipt.Verdict, receipt.Disposition, statement.Passed, c.Disposition)
	}
}

func assessClaims(t *testing.T, c Case, receipt statement.Receipt) {
	for _, role := range []string{statement.Primary, statement.Extra, statement.Mods} {
		live := claimInCluster(t, c, role)
		for _, point := range receipt.Checkpoints {
			if got := claim(t, point, role).UID; got != live {
				t.Errorf("%s claim at %s: UID %q, the cluster has %q", role, point.Name, got, live)
			}
		}
	}
}

func assessBystander(t *testing.T, _ Case, receipt statement.Receipt) {
	for _, member := range receipt.Fleet {
		live := podInCluster(t, member.Server)
		if !member.Gapless || !slices.Equal(member.PodUIDs, []string{live}) {
			t.Errorf("pods of %s: %v (gapless: %v), want the one that runs: %s", member.Server, member.PodUIDs, member.Gapless, live)
		}
	}
	if receipt.Fleet[0].Pending != receipt.Candidate.TemplateDigest {
		t.Errorf("%s was offered %q, not the candidate: its untouched pod shows nothing", receipt.Fleet[0].Server, receipt.Fleet[0].Pending)
	}
}

func assessMods(t *testing.T, _ Case, receipt statement.Receipt) {
	for _, point := range receipt.Checkpoints {
		if got := claim(t, point, statement.Mods).Marker; got != receipt.Run.CloneMods {
			t.Errorf("mods at %s hold %q, want the clone's own %q", point.Name, got, receipt.Run.CloneMods)
		}
	}
}

func assessJournal(t *testing.T, _ Case, receipt statement.Receipt) {
	if want := []string{receipt.Baseline.Digest}; !slices.Equal(receipt.Journal.Admitted, want) {
		t.Errorf("journal admits %v, want %v", receipt.Journal.Admitted, want)
	}
}

func assessEnd(t *testing.T, _ Case, receipt statement.Receipt) {
	last := receipt.Checkpoints[len(receipt.Checkpoints)-1]
	if last.Outcome != statement.Reached || !strings.HasSuffix(last.Pod.ImageID, receipt.Baseline.Digest) {
		t.Fatalf("the clone ends %s at %s (%s): %s", last.Outcome, last.Name, last.Reason, last.Message)
	}
	if got := last.Joins[0].Marker; got != receipt.Run.Marker {
		t.Errorf("a player finds marker %q, want %q", got, receipt.Run.Marker)
	}
	for _, role := range []string{statement.Primary, statement.Extra} {
		if got := claim(t, last, role).Marker; got != receipt.Run.Marker {
			t.Errorf("%s claim holds marker %q, want %q", role, got, receipt.Run.Marker)
		}
	}
}

func assessUnpullable(t *testing.T, _ Case, receipt statement.Receipt) {
	point := checkpoint(t, receipt, statement.Candidate)
	if point.Pod == nil {
		t.Fatalf("no pod was seen: %s: %s", point.Reason, point.Message)
	}
	if point.Reason != statement.ReasonImagePull || !strings.Contains(point.Message, receipt.Candidate.Digest) {
		t.Errorf("refused for %s: %s", point.Reason, point.Message)
	}
	if point.Pod.ImageID != "" || len(point.Joins) > 0 {
		t.Errorf("something ran and was joined: %+v %+v", point.Pod, point.Joins)
	}
}

func assessHTTPOnly(t *testing.T, _ Case, receipt statement.Receipt) {
	point := checkpoint(t, receipt, statement.Candidate)
	if point.Pod == nil {
		t.Fatalf("no pod was seen: %s: %s", point.Reason, point.Message)
	}
	if !strings.HasSuffix(point.Pod.ImageID, receipt.Candidate.Digest) {
		t.Errorf("the pod runs %s, not the candidate", point.Pod.ImageID)
	}
	if point.Reason != statement.ReasonJoinFailed {
		t.Errorf("refused for %s: %s", point.Reason, point.Message)
	}
	if len(point.Joins) != 1 || !strings.Contains(point.Joins[0].HTTP, receipt.Run.Marker) {
		t.Errorf("the marker is not served over HTTP: %+v", point.Joins)
	}
}

func assessRewritten(t *testing.T, _ Case, receipt statement.Receipt) {
	before, after := savedAt(t, receipt, statement.Before), savedAt(t, receipt, statement.Candidate)
	if before.DataVersion != 3578 || after.DataVersion != 3955 {
		t.Errorf("data version went from %d to %d, want 3578 to 3955", before.DataVersion, after.DataVersion)
	}
	if before.FormatMarker != "" || after.FormatMarker == "" {
		t.Errorf("format marker went from %q to %q", before.FormatMarker, after.FormatMarker)
	}
	back := checkpoint(t, receipt, statement.Rollback)
	if back.Reason != statement.ReasonNewerWorld || !strings.Contains(back.Message, "3955") || !strings.Contains(back.Message, "3578") {
		t.Errorf("the baseline refuses for %s: %s", back.Reason, back.Message)
	}
}

func assessDirect(t *testing.T, _ Case, receipt statement.Receipt) {
	if len(receipt.Restores) != 1 || receipt.Restores[0].Purpose != "seed" {
		t.Errorf("restores: %+v, want the one that seeded the clone", receipt.Restores)
	}
	back := savedAt(t, receipt, statement.Rollback)
	if before := savedAt(t, receipt, statement.Before); back.Nonce != before.Nonce || back.Nonce == "" {
		t.Errorf("the world is another one: nonce %q, want %q", back.Nonce, before.Nonce)
	}
}

func assessRestored(t *testing.T, c Case, receipt statement.Receipt) {
	if len(receipt.Restores) != 2 {
		t.Fatalf("restores: %+v, want one that seeded the clone and one for the rollback", receipt.Restores)
	}
	restore := receipt.Restores[1]
	if restore.Snapshot != receipt.Backup.Snapshot || len(restore.Snapshot) != 64 {
		t.Errorf("snapshot %q was restored, %q was taken", restore.Snapshot, receipt.Backup.Snapshot)
	}
	if live := restoreInCluster(t, restore.Name); restore.UID != live {
		t.Errorf("UID of the Restore: %q, the cluster has %q", restore.UID, live)
	}
	if after := savedAt(t, receipt, statement.Restored); after.FormatMarker != "" || after.DataVersion != 3578 {
		t.Errorf("the save is still the candidate's: %+v", after)
	}
}

func checkpoint(t *testing.T, receipt statement.Receipt, name string) statement.Checkpoint {
	t.Helper()
	for _, point := range receipt.Checkpoints {
		if point.Name == name {
			return point
		}
	}
	t.Fatalf("no checkpoint %s", name)
	return statement.Checkpoint{}
}

// savedAt returns what was read from the save at a checkpoint.
func savedAt(t *testing.T, receipt statement.Receipt, name string) statement.World {
	t.Helper()
	point := checkpoint(t, receipt, name)
	if point.World == nil {
		t.Fatalf("no save was read at %s", name)
	}
	return *point.World
}

func claim(t *testing.T, point statement.Checkpoint, role string) statement.Claim {
	t.Helper()
	for _, claim := range point.Claims {
		if claim.Role == role {
			return claim
		}
	}
	t.Fatalf("no %s claim at %s", role, point.Name)
	return statement.Claim{}
}
