package receipts_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// allScenarios are those with expectations of their own in these tests.
func allScenarios() []string { return append(receiptstest.Scenarios(), receipts.ScenarioUpdate) }

func TestEvaluatePasses(t *testing.T) {
	t.Parallel()
	want := map[string]receipts.Disposition{
		receipts.ScenarioUnpullable:         "blocked/image-pull",
		receipts.ScenarioHTTPOnly:           "blocked/join-failed",
		receipts.ScenarioFormatChanging:     receipts.RestoreRequired,
		receipts.ScenarioCompatibleRollback: receipts.CompatibleRollback,
		receipts.ScenarioRestoreRequired:    receipts.RestoreRequired,
		receipts.ScenarioUpdate:             receipts.CompatibleRollback,
	}
	for _, scenario := range allScenarios() {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			checks, verdict, disposition := receipts.Evaluate(receiptstest.Observations(scenario, "amd64"))
			if failed := failing(checks); verdict != receipts.Passed || len(failed) > 0 {
				t.Errorf("verdict %s, failing checks: %+v", verdict, failed)
			}
			if disposition != want[scenario] {
				t.Errorf("disposition %s, want %s", disposition, want[scenario])
			}
		})
	}
}

func failing(checks []receipts.Check) []receipts.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c receipts.Check) bool { return c.OK })
}

// The spoilers change what was observed; at hands out the checkpoint of a name.
type spoiler func(r *receipts.Receipt)

func at(r *receipts.Receipt, name string) *receipts.Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

func claim(r *receipts.Receipt, checkpoint, role string) *receipts.Claim {
	cp := at(r, checkpoint)
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

func drop(r *receipts.Receipt, name string) {
	r.Checkpoints = slices.DeleteFunc(r.Checkpoints, func(cp receipts.Checkpoint) bool { return cp.Name == name })
}

// spoiled names, for each check, ways in which it fails, and the scenario in which they are tried.
var spoiled = []struct {
	check    string
	scenario string
	how      string
	spoil    spoiler
}{
	{"run-complete", receipts.ScenarioUpdate, "product fault", func(r *receipts.Receipt) {
		r.Fault = &receipts.Fault{Class: receipts.FaultProduct, Step: "candidate"}
	}},
	{"run-complete", receipts.ScenarioUpdate, "infrastructure fault", func(r *receipts.Receipt) {
		r.Fault = &receipts.Fault{Class: receipts.FaultInfrastructure, Step: "backup"}
	}},
	{"run-identified", receipts.ScenarioUpdate, "no id", func(r *receipts.Receipt) { r.Run.ID = "" }},
	{"run-identified", receipts.ScenarioUpdate, "short marker", func(r *receipts.Receipt) { r.Run.Marker = "abc" }},
	{"run-identified", receipts.ScenarioUpdate, "mods value is the marker", func(r *receipts.Receipt) { r.Run.CloneMods = r.Run.Marker }},
	{"run-identified", receipts.ScenarioUpdate, "unknown depth", func(r *receipts.Receipt) { r.Run.Depth = "DEEP" }},
	{"run-identified", receipts.ScenarioUpdate, "ends before it begins", func(r *receipts.Receipt) {
		r.Run.FinishedAt = r.Run.StartedAt.Add(-time.Second)
	}},
	{"revisions-pinned", receipts.ScenarioUpdate, "candidate by tag", func(r *receipts.Receipt) { r.Candidate.Image = "registry:5000/game:latest" }},
	{"revisions-pinned", receipts.ScenarioUpdate, "candidate is the baseline", func(r *receipts.Receipt) { r.Candidate = r.Baseline }},
	{"revisions-pinned", receipts.ScenarioUpdate, "no digest", func(r *receipts.Receipt) { r.Baseline.Digest = "" }},
	{"revisions-pinned", receipts.ScenarioUpdate, "no template digest", func(r *receipts.Receipt) { r.Candidate.TemplateDigest = "v2" }},
	{"revisions-pinned", receipts.ScenarioUpdate, "odd platform digest", func(r *receipts.Receipt) { r.Candidate.PlatformDigest = "x" }},
	{"revisions-pinned", receipts.ScenarioUpdate, "odd bundle digest", func(r *receipts.Receipt) { r.Candidate.Bundle = "x" }},
	{"spans-ordered", receipts.ScenarioUpdate, "none", func(r *receipts.Receipt) { r.Spans = nil }},
	{"spans-ordered", receipts.ScenarioUpdate, "overlap", func(r *receipts.Receipt) { r.Spans[0].Millis += 2 }},
	{"spans-ordered", receipts.ScenarioUpdate, "swapped", func(r *receipts.Receipt) { r.Spans[0], r.Spans[1] = r.Spans[1], r.Spans[0] }},
	{"spans-ordered", receipts.ScenarioUpdate, "beyond the run", func(r *receipts.Receipt) { r.Spans[2].Millis += 2 }},
	{"spans-ordered", receipts.ScenarioUpdate, "negative", func(r *receipts.Receipt) { r.Spans[2].Millis = -1 }},
	{"journal-baseline-only", receipts.ScenarioUpdate, "candidate admitted", func(r *receipts.Receipt) {
		r.Journal.Admitted = append(r.Journal.Admitted, r.Candidate.Digest)
	}},
	{"journal-baseline-only", receipts.ScenarioUpdate, "nothing admitted", func(r *receipts.Receipt) { r.Journal.Admitted = nil }},
	{"journal-baseline-only", receipts.ScenarioUpdate, "no head", func(r *receipts.Receipt) { r.Journal.Head = "" }},
	{"operator-sound", receipts.ScenarioUpdate, "broken on purpose", func(r *receipts.Receipt) {
		r.Environment.Operator.Features = append(r.Environment.Operator.Features, "defect=skip-restore@games/*")
	}},
	{"fleet-untouched", receipts.ScenarioUpdate, "no member", func(r *receipts.Receipt) { r.Fleet = nil }},
	{"fleet-untouched", receipts.ScenarioUpdate, "pod replaced", func(r *receipts.Receipt) {
		r.Fleet[0].PodUIDs = append(r.Fleet[0].PodUIDs, "another")
	}},
	{"fleet-untouched", receipts.ScenarioUpdate, "restarted", func(r *receipts.Receipt) { r.Fleet[0].Restarts = 1 }},
	{"fleet-untouched", receipts.ScenarioUpdate, "another image", func(r *receipts.Receipt) { r.Fleet[0].ImageID = "x@" + receiptstest.Digest("x") }},
	{"fleet-untouched", receipts.ScenarioUpdate, "gone at the end", func(r *receipts.Receipt) { r.Fleet[0].Alive = false }},
	{"fleet-watched", receipts.ScenarioUpdate, "gap", func(r *receipts.Receipt) { r.Fleet[0].Gapless = false }},
	{"fleet-not-adopted", receipts.ScenarioUpdate, "adopted", func(r *receipts.Receipt) { r.Fleet[0].ImageID = r.Candidate.Image }},
	{"fleet-not-adopted", receipts.ScenarioUpdate, "offered something else", func(r *receipts.Receipt) { r.Fleet[0].Pending = "other" }},
	{"checkpoints-ordered", receipts.ScenarioUpdate, "twice", func(r *receipts.Receipt) {
		r.Checkpoints = append(r.Checkpoints, r.Checkpoints[2])
	}},
	{"checkpoints-ordered", receipts.ScenarioUpdate, "unknown name", func(r *receipts.Receipt) { r.Checkpoints[2].Name = "after" }},
	{"checkpoints-ordered", receipts.ScenarioUpdate, "swapped times", func(r *receipts.Receipt) {
		r.Checkpoints[1].At = r.Checkpoints[0].At.Add(-time.Second)
	}},
	{"checkpoints-ordered", receipts.ScenarioUpdate, "after the run", func(r *receipts.Receipt) {
		r.Checkpoints[2].At = r.Run.FinishedAt.Add(time.Second)
	}},
	{"checkpoints-ordered", receipts.ScenarioUpdate, "unknown outcome", func(r *receipts.Receipt) { r.Checkpoints[2].Outcome = "fine" }},
	{"checkpoints-pinned", receipts.ScenarioUpdate, "asked for another", func(r *receipts.Receipt) { at(r, receipts.Candidate).Revision = r.Baseline.Digest }},
	{"before-reached", receipts.ScenarioUpdate, "never observed", func(r *receipts.Receipt) { drop(r, receipts.Before) }},
	{"before-reached", receipts.ScenarioUpdate, "another image", func(r *receipts.Receipt) { at(r, receipts.Before).Pod.ImageID = r.Candidate.Image }},
	{"before-reached", receipts.ScenarioUpdate, "marker not found", func(r *receipts.Receipt) { at(r, receipts.Before).Joins[0].Marker = "" }},
	{"before-reached", receipts.ScenarioUpdate, "mods of the fleet", func(r *receipts.Receipt) { claim(r, receipts.Before, receipts.Mods).Marker = "x" }},
	{"backup-seed", receipts.ScenarioUpdate, "no backup", func(r *receipts.Receipt) { r.Backup = nil }},
	{"backup-seed", receipts.ScenarioUpdate, "another snapshot", func(r *receipts.Receipt) { r.Restores[0].Snapshot = "x" }},
	{"backup-seed", receipts.ScenarioUpdate, "no restic id", func(r *receipts.Receipt) { r.Backup.Snapshot, r.Restores[0].Snapshot = "latest", "latest" }},
	{"backup-seed", receipts.ScenarioUpdate, "no seed", func(r *receipts.Receipt) { r.Restores = nil }},
	{"backup-seed", receipts.ScenarioUpdate, "no restore UID", func(r *receipts.Receipt) { r.Restores[0].UID = "" }},
	{"backup-seed", receipts.ScenarioUpdate, "backup of another revision", func(r *receipts.Receipt) { r.Backup.Revision = r.Candidate.Digest }},
	{"claims-kept", receipts.ScenarioUpdate, "primary replaced", func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Primary).UID = "new" }},
	{"claims-kept", receipts.ScenarioUpdate, "extra on another volume", func(r *receipts.Receipt) { claim(r, receipts.Rollback, receipts.Extra).Volume = "new" }},
	{"claims-kept", receipts.ScenarioUpdate, "mods gone", func(r *receipts.Receipt) {
		at(r, receipts.Rollback).Claims = at(r, receipts.Rollback).Claims[:2]
	}},
	{"claims-kept", receipts.ScenarioUpdate, "too many", func(r *receipts.Receipt) {
		at(r, receipts.Before).Claims = slices.Repeat(at(r, receipts.Before).Claims, 50)
	}},
	{"claims-kept", receipts.ScenarioUpdate, "no primary", func(r *receipts.Receipt) { at(r, receipts.Before).Claims = nil }},
	{"claims-kept", receipts.ScenarioUpdate, "a role twice", func(r *receipts.Receipt) {
		at(r, receipts.Rollback).Claims[2] = at(r, receipts.Rollback).Claims[1]
	}},
	{"candidate-image", receipts.ScenarioUpdate, "another digest", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = r.Baseline.Image }},
	{"candidate-image", receipts.ScenarioUpdate, "no digest", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = "" }},
	{"candidate-observed", receipts.ScenarioUpdate, "never", func(r *receipts.Receipt) { drop(r, receipts.Candidate) }},
	{"candidate-observed", receipts.ScenarioUpdate, "the old pod", func(r *receipts.Receipt) {
		at(r, receipts.Candidate).Pod.UID = at(r, receipts.Before).Pod.UID
	}},
	{"candidate-observed", receipts.ScenarioUnpullable, "unknown reason", func(r *receipts.Receipt) { at(r, receipts.Candidate).Reason = "bad luck" }},
	{"joins-controlled", receipts.ScenarioUpdate, "no control", func(r *receipts.Receipt) { at(r, receipts.Rollback).Joins[0].Control = false }},
	{"joins-controlled", receipts.ScenarioUpdate, "no join", func(r *receipts.Receipt) {
		for i := range r.Checkpoints {
			r.Checkpoints[i].Joins = nil
		}
	}},
	{"architecture-kept", receipts.ScenarioUpdate, "another", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.Architecture = "arm64" }},
	{"architecture-kept", receipts.ScenarioUpdate, "none", func(r *receipts.Receipt) { r.Environment.Architecture = "" }},
	{"course-ended", receipts.ScenarioUpdate, "no rollback", func(r *receipts.Receipt) { drop(r, receipts.Rollback) }},
	{"course-ended", receipts.ScenarioUpdate, "not joined after a restart", func(r *receipts.Receipt) {
		at(r, receipts.Candidate).Joins = at(r, receipts.Candidate).Joins[1:]
	}},
	{"suite-complete", receipts.ScenarioCompatibleRollback, "shallow", func(r *receipts.Receipt) { r.Run.Depth = receipts.Joined }},
	{"suite-complete", receipts.ScenarioUnpullable, "no mods claim", func(r *receipts.Receipt) {
		for i := range r.Checkpoints {
			r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:2]
		}
	}},
	{"candidate-blocked", receipts.ScenarioUnpullable, "for another reason", func(r *receipts.Receipt) {
		at(r, receipts.Candidate).Reason = receipts.ReasonNotReady
	}},
	{"candidate-blocked", receipts.ScenarioHTTPOnly, "it was reached", func(r *receipts.Receipt) {
		good := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
		cp := *at(&good, receipts.Candidate)
		cp.Revision, cp.Pod = r.Candidate.Digest, at(r, receipts.Candidate).Pod
		*at(r, receipts.Candidate) = cp
	}},
	{"candidate-never-ran", receipts.ScenarioUnpullable, "it ran", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = r.Candidate.Image }},
	{"kubelet-words", receipts.ScenarioUnpullable, "none", func(r *receipts.Receipt) { at(r, receipts.Candidate).Message = "" }},
	{"candidate-ran", receipts.ScenarioHTTPOnly, "it did not", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = "" }},
	{"http-served-marker", receipts.ScenarioHTTPOnly, "another body", func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[0].HTTP = "It works!" }},
	{"clone-brought-back", receipts.ScenarioHTTPOnly, "left as it was", func(r *receipts.Receipt) { drop(r, receipts.Rollback) }},
	{"clone-brought-back", receipts.ScenarioUnpullable, "extra world lost", func(r *receipts.Receipt) { claim(r, receipts.Rollback, receipts.Extra).Marker = "" }},
	{"clone-brought-back", receipts.ScenarioUnpullable, "the candidate's pod", func(r *receipts.Receipt) {
		at(r, receipts.Rollback).Pod.UID = at(r, receipts.Candidate).Pod.UID
	}},
	{"candidate-reached", receipts.ScenarioFormatChanging, "extra world lost", func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Extra).Marker = "" }},
	{"candidate-reached", receipts.ScenarioCompatibleRollback, "a new world", func(r *receipts.Receipt) { at(r, receipts.Candidate).World.Nonce = "new" }},
	{"data-version-grew", receipts.ScenarioFormatChanging, "it did not", func(r *receipts.Receipt) { at(r, receipts.Candidate).World.DataVersion = 3578 }},
	{"format-marker-present", receipts.ScenarioFormatChanging, "none", func(r *receipts.Receipt) { at(r, receipts.Candidate).World.FormatMarker = "" }},
	{"rollback-refused", receipts.ScenarioFormatChanging, "for another reason", func(r *receipts.Receipt) {
		at(r, receipts.Rollback).Reason = receipts.ReasonCrash
	}},
	{"rollback-refused", receipts.ScenarioRestoreRequired, "never tried", func(r *receipts.Receipt) { drop(r, receipts.Rollback) }},
	{"not-compatible", receipts.ScenarioFormatChanging, "it is", func(r *receipts.Receipt) {
		good := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
		*at(r, receipts.Rollback) = *at(&good, receipts.Rollback)
		r.Restores = r.Restores[:1]
		drop(r, receipts.Restored)
	}},
	{"disposition", receipts.ScenarioCompatibleRollback, "a restore was made", func(r *receipts.Receipt) {
		r.Restores = append(r.Restores, receipts.Restore{UID: "u", Snapshot: r.Backup.Snapshot, Purpose: receipts.PurposeRollback})
	}},
	{"disposition", receipts.ScenarioRestoreRequired, "restore skipped", func(r *receipts.Receipt) { r.Restores = r.Restores[:1] }},
	{"data-version-kept", receipts.ScenarioCompatibleRollback, "it grew", func(r *receipts.Receipt) { at(r, receipts.Candidate).World.DataVersion++ }},
	{"rollback-reached", receipts.ScenarioCompatibleRollback, "world lost", func(r *receipts.Receipt) { at(r, receipts.Rollback).Joins[0].Marker = "" }},
	{"no-restore", receipts.ScenarioCompatibleRollback, "one was made", func(r *receipts.Receipt) {
		r.Restores = append(r.Restores, receipts.Restore{UID: "u", Snapshot: r.Backup.Snapshot, Purpose: receipts.PurposeRollback})
	}},
	{"restore-recorded", receipts.ScenarioRestoreRequired, "none", func(r *receipts.Receipt) { r.Restores = r.Restores[:1] }},
	{"restore-recorded", receipts.ScenarioRestoreRequired, "no UID", func(r *receipts.Receipt) { r.Restores[1].UID = "" }},
	{"restore-recorded", receipts.ScenarioRestoreRequired, "another snapshot", func(r *receipts.Receipt) { r.Restores[1].Snapshot = "x" }},
	{"save-back", receipts.ScenarioRestoreRequired, "format marker left", func(r *receipts.Receipt) { at(r, receipts.Restored).World.FormatMarker = "3955" }},
	{"save-back", receipts.ScenarioRestoreRequired, "newer version", func(r *receipts.Receipt) { at(r, receipts.Restored).World.DataVersion = 3955 }},
	{"world-back", receipts.ScenarioRestoreRequired, "primary lost", func(r *receipts.Receipt) { claim(r, receipts.Restored, receipts.Primary).Marker = "" }},
	{"world-back", receipts.ScenarioRestoreRequired, "extra lost", func(r *receipts.Receipt) { claim(r, receipts.Restored, receipts.Extra).Marker = "" }},
	{"mods-own", receipts.ScenarioRestoreRequired, "mods of the fleet", func(r *receipts.Receipt) { claim(r, receipts.Restored, receipts.Mods).Marker = "x" }},
	{"mods-own", receipts.ScenarioRestoreRequired, "another tree", func(r *receipts.Receipt) { claim(r, receipts.Restored, receipts.Mods).Tree = "x" }},
	{"mods-own", receipts.ScenarioRestoreRequired, "never restored", func(r *receipts.Receipt) { drop(r, receipts.Restored) }},
	{"scenario-known", "bad-image/unheard-of", "unknown kind", func(*receipts.Receipt) {}},
	{"scenario-known", "spring-cleaning", "unknown scenario", func(*receipts.Receipt) {}},
}

func TestEachCheckFails(t *testing.T) {
	t.Parallel()
	for _, tt := range spoiled {
		t.Run(tt.check+"/"+tt.how, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(tt.scenario, "amd64")
			tt.spoil(&r)
			checks, verdict, _ := receipts.Evaluate(r)
			if verdict == receipts.Passed {
				t.Errorf("PASSED in spite of it")
			}
			i := slices.IndexFunc(checks, func(c receipts.Check) bool { return c.Name == tt.check })
			if i < 0 || checks[i].OK {
				t.Errorf("the check does not fail; failing: %+v", failing(checks))
			} else if checks[i].Want == "" || checks[i].Got == "" {
				t.Errorf("the check says nothing: %+v", checks[i])
			}
		})
	}
}

// A check that no test has seen to fail shows nothing.
func TestEveryCheckIsSpoiledOnce(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, tt := range spoiled {
		names[tt.check] = true
	}
	for _, scenario := range append(allScenarios(), "bad-image/crash-loop", "bad-image/unheard-of") {
		checks, _, _ := receipts.Evaluate(receiptstest.Observations(scenario, "amd64"))
		for _, check := range checks {
			if !names[check.Name] {
				t.Errorf("%s: check %s has no test in which it fails", scenario, check.Name)
			}
		}
	}
}

func TestFaultsAreToldApart(t *testing.T) {
	t.Parallel()
	want := map[string]receipts.Verdict{
		receipts.FaultProduct:        receipts.Failed,
		receipts.FaultHarness:        receipts.Error,
		receipts.FaultInfrastructure: receipts.Error,
		receipts.FaultInterrupted:    receipts.Error,
		"unheard-of":                 receipts.Error,
	}
	for class, verdict := range want {
		r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
		r.Fault = &receipts.Fault{Class: class}
		if _, got, _ := receipts.Evaluate(r); got != verdict {
			t.Errorf("%s fault: %s, want %s", class, got, verdict)
		}
	}
}

func TestBrokenWatchIsInconclusive(t *testing.T) {
	t.Parallel()
	r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
	r.Fleet[0].Gapless = false
	if _, got, _ := receipts.Evaluate(r); got != receipts.Inconclusive {
		t.Errorf("a gap alone: %s, want %s", got, receipts.Inconclusive)
	}
	r.Fleet[0].Restarts = 1
	if _, got, _ := receipts.Evaluate(r); got != receipts.Failed {
		t.Errorf("a gap and a restart: %s, want %s", got, receipts.Failed)
	}
}

func refuse(r *receipts.Receipt, checkpoint string, reason receipts.RefusalReason) {
	cp := at(r, checkpoint)
	cp.Outcome, cp.Reason, cp.Message = receipts.Refused, reason, "the words of whoever refused it"
}

// TestObservationsThatContradictThemselves: a harness that is mistaken, or lies, must not get a candidate through on them.
func TestObservationsThatContradictThemselves(t *testing.T) {
	t.Parallel()
	another := func(point *receipts.Checkpoint, role string, change func(*receipts.Claim)) {
		more := point.Claims[1]
		more.Role = role
		change(&more)
		point.Claims = append(slices.Clone(point.Claims), more)
	}
	everywhere := func(r *receipts.Receipt, role string, change func(point string, claim *receipts.Claim)) {
		for i := range r.Checkpoints {
			another(&r.Checkpoints[i], role, func(claim *receipts.Claim) { change(r.Checkpoints[i].Name, claim) })
		}
	}
	lostByTheCandidate := func(point string, claim *receipts.Claim) {
		if point != receipts.Before {
			claim.Marker, claim.Files = "", 0
		}
	}
	for name, test := range map[string]struct {
		scenario string
		spoil    spoiler
	}{
		"first visit in the baseline's pod": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			at(r, receipts.Candidate).Joins[0].Pod = at(r, receipts.Before).Pod.UID
		}},
		"first visit in the fleet": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			at(r, receipts.Candidate).Joins[0].Pod = r.Fleet[0].PodUIDs[0]
		}},
		"candidate in the fleet's pod": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			cp := at(r, receipts.Candidate)
			cp.Pod.UID, cp.Joins[1].Pod = r.Fleet[0].PodUIDs[0], r.Fleet[0].PodUIDs[0]
		}},
		"second claim of the same name, lost": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { everywhere(r, receipts.Extra, lostByTheCandidate) }},
		"claim of an unknown role, lost": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			everywhere(r, "Extra", func(point string, claim *receipts.Claim) {
				claim.Name, claim.UID, claim.Volume = "more", "more", "more"
				lostByTheCandidate(point, claim)
			})
		}},
		"second claim for mods": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			everywhere(r, receipts.Mods, func(_ string, claim *receipts.Claim) { claim.Name, claim.UID, claim.Volume = "more", "more", "more" })
		}},
		"claims that share a UID": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].Claims[1].UID = r.Checkpoints[i].Claims[0].UID
			}
		}},
		"claims without volumes": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				for j := range r.Checkpoints[i].Claims {
					r.Checkpoints[i].Claims[j].Volume = ""
				}
			}
		}},
		"marker in a claim without files": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Extra).Files = 0 }},
		"content without a digest":        {receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Primary).Tree = "" }},
		"bytes that are no number":        {receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Primary).Bytes = "-5 apples" }},
		"a third restore": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			r.Restores = append(r.Restores, receipts.Restore{Name: "x", UID: "x", Snapshot: r.Backup.Snapshot, Purpose: "rescue"})
		}},
		"restore for the rollback is the seed's": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			r.Restores[1].UID = r.Restores[0].UID
		}},
		"baseline is the candidate's platform": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { r.Baseline.PlatformDigest = r.Candidate.Digest }},
		"same platform": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			r.Baseline.PlatformDigest = receiptstest.Digest("platform")
			r.Candidate.PlatformDigest = r.Baseline.PlatformDigest
		}},
		"rollback refused in the candidate's pod": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			at(r, receipts.Rollback).Pod.UID = at(r, receipts.Candidate).Pod.UID
		}},
		"rollback refused without a pod":  {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) { at(r, receipts.Rollback).Pod = nil }},
		"rollback refused without a word": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) { at(r, receipts.Rollback).Message = "" }},
		"rollback refused, and joined": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			join := at(r, receipts.Before).Joins[0]
			join.Pod = at(r, receipts.Rollback).Pod.UID
			at(r, receipts.Rollback).Joins = []receipts.Join{join}
		}},
		"rollback refused for what is no refusal": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			r.Run.Scenario = receipts.ScenarioUpdate
			refuse(r, receipts.Rollback, receipts.ReasonUnproven)
		}},
		"bad image without a pod's UID": {receipts.ScenarioUnpullable, func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.UID = "" }},
		"page served by the pod before": {receipts.ScenarioHTTPOnly, func(r *receipts.Receipt) {
			at(r, receipts.Candidate).Joins[0].Pod = at(r, receipts.Before).Pod.UID
		}},
		"nobody could join, and somebody did": {receipts.ScenarioHTTPOnly, func(r *receipts.Receipt) {
			join := at(r, receipts.Before).Joins[0]
			join.Pod = at(r, receipts.Candidate).Pod.UID
			at(r, receipts.Candidate).Joins = append(at(r, receipts.Candidate).Joins, join)
		}},
		"bad save of an image that never ran": {"bad-image/no-save", func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = "" }},
		"all at one instant": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].At = r.Run.StartedAt
			}
		}},
		"member twice, with another pod": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			more := r.Fleet[0]
			more.PodUIDs = []string{"the pod that replaced it"}
			r.Fleet = append(r.Fleet, more)
		}},
		"two members in one pod": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			more := r.Fleet[0]
			more.Server = "member-c"
			r.Fleet = append(r.Fleet, more)
		}},
		"first visit in a pod of the baseline's before its own": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			before := at(r, receipts.Before)
			earlier := before.Joins[0]
			earlier.Pod = "baseline-pod-0"
			before.Joins = append([]receipts.Join{earlier}, before.Joins...)
			at(r, receipts.Candidate).Joins[0].Pod = earlier.Pod
		}},
		"rollback in the candidate's first pod": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			back := at(r, receipts.Rollback)
			back.Pod.UID = at(r, receipts.Candidate).Joins[0].Pod
			back.Joins[0].Pod = back.Pod.UID
		}},
		"more visits than anybody makes": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			cp := at(r, receipts.Candidate)
			cp.Joins = slices.Concat(slices.Repeat(cp.Joins[:1], 64), cp.Joins[1:])
		}},
		"a restore after a good rollback, the world lost": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			lost := *at(r, receipts.Rollback)
			lost.Claims = slices.Clone(lost.Claims)
			lost.Claims[0].Marker = ""
			lost.Name, lost.At, lost.Joins = receipts.Restored, lost.At.Add(time.Second), []receipts.Join{}
			pod := *lost.Pod
			pod.UID = "restored"
			lost.Pod = &pod
			r.Checkpoints = append(r.Checkpoints, lost)
			refuse(r, receipts.Restored, receipts.ReasonWorldLost)
		}},
		"one tree of two sizes": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Rollback, receipts.Mods).Files = 1 }},
		"one tree of two markers": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			claim(r, receipts.Before, receipts.Mods).Tree = claim(r, receipts.Before, receipts.Primary).Tree
			claim(r, receipts.Candidate, receipts.Primary).Tree = claim(r, receipts.Before, receipts.Primary).Tree
		}},
		"restored to the candidate's bytes": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			claim(r, receipts.Restored, receipts.Primary).Tree = claim(r, receipts.Candidate, receipts.Primary).Tree
		}},
		"one tree of two sizes, after the candidate": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			claim(r, receipts.Rollback, receipts.Extra).Tree = claim(r, receipts.Candidate, receipts.Extra).Tree
			claim(r, receipts.Rollback, receipts.Extra).Files = 9999
		}},
		"no land at all, and players in it": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Chunks = 0
			}
		}},
		"played, and not a byte differs": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			claim(r, receipts.Candidate, receipts.Primary).Tree = claim(r, receipts.Before, receipts.Primary).Tree
		}},
		"another marker, at a depth that asks for none": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			r.Run.Depth = receipts.Query
			at(r, receipts.Candidate).Joins[1].Marker = "0000000000000000"
		}},
		"less than no land": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Chunks = -1
			}
		}},
		"the only chunk not restored": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				if w := r.Checkpoints[i].World; w != nil {
					w.Chunks = 1
				}
			}
			at(r, receipts.Restored).World.Chunks = 0
		}},
		"bad image that lost the world, and all is there": {"bad-image/loses-chunks", func(r *receipts.Receipt) {
			good := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
			cp := *at(&good, receipts.Candidate)
			cp.Revision, cp.Pod.Image, cp.Pod.ImageID = r.Candidate.Digest, r.Candidate.Image, r.Candidate.Image
			for i := range cp.Claims {
				cp.Claims[i].UID, cp.Claims[i].Volume = r.Checkpoints[0].Claims[i].UID, r.Checkpoints[0].Claims[i].Volume
			}
			r.Checkpoints[1] = cp
			refuse(r, receipts.Candidate, receipts.ReasonWorldLost)
		}},
		"land lost by the candidate":       {receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).World.Chunks-- }},
		"land lost by the rollback":        {receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Rollback).World.Chunks = 0 }},
		"a player lost by the candidate":   {receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).World.Players-- }},
		"half of the land not restored":    {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) { at(r, receipts.Restored).World.Chunks = 219 }},
		"a player not restored":            {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) { at(r, receipts.Restored).World.Players-- }},
		"reached, with a reason":           {receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Rollback).Reason = receipts.ReasonWorldLost }},
		"marker in a claim without a byte": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Rollback, receipts.Extra).Bytes = "0" }},
		"save rewritten, and not a byte differs": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			claim(r, receipts.Candidate, receipts.Primary).Tree = claim(r, receipts.Before, receipts.Primary).Tree
		}},
		"not pulled, and joined in the pod before": {receipts.ScenarioUnpullable, func(r *receipts.Receipt) {
			at(r, receipts.Candidate).Joins = []receipts.Join{at(r, receipts.Before).Joins[0]}
		}},
		"member without a name": {receipts.ScenarioUpdate, func(r *receipts.Receipt) { r.Fleet[0].Server = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(test.scenario, "amd64")
			test.spoil(&r)
			checks, verdict, disposition := receipts.Evaluate(r)
			if verdict == receipts.Passed && (disposition.Promotable() || strings.HasPrefix(test.scenario, "bad-image/")) {
				t.Errorf("%s %s: %+v", verdict, disposition, failing(checks))
			}
		})
	}
}

func TestDispositions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		scenario string
		spoil    spoiler
		want     receipts.Disposition
	}{
		{"nothing observed", receipts.ScenarioUpdate, func(r *receipts.Receipt) { r.Checkpoints = nil }, "blocked/unfinished"},
		{"refused", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			refuse(r, receipts.Candidate, receipts.ReasonCrash)
		}, "blocked/crash"},
		{"refused for no known reason", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			refuse(r, receipts.Candidate, "promotable/compatible-rollback")
		}, "blocked/unproven"},
		{"wrong image", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = r.Baseline.Image }, "blocked/wrong-image"},
		{"image by tag", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.ImageID = "game:latest" }, "blocked/wrong-image"},
		{"not held", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[1].Depth = receipts.Joined }, "blocked/join-failed"},
		{"odd class", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[1].Class = "kicked" }, "blocked/join-failed"},
		{"world lost after the restart", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[1].Marker = "" }, "blocked/world-lost"},
		{"extra lost", receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Extra).Marker = "" }, "blocked/world-lost"},
		{"no control", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[0].Control = false }, "blocked/unproven"},
		{"volume not read", receipts.ScenarioUpdate, func(r *receipts.Receipt) { claim(r, receipts.Candidate, receipts.Primary).Read = false }, "blocked/unproven"},
		{"save not read", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).World = nil }, "blocked/unproven"},
		{"restarted in place", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			cp := at(r, receipts.Candidate)
			cp.Joins[0].Pod, cp.Pod.Restarts = cp.Pod.UID, 1
		}, "blocked/crash"},
		{"restarted after the visit", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.Restarts = 7 }, "blocked/crash"},
		{"joined in one pod, seen in another", receipts.ScenarioUpdate, func(r *receipts.Receipt) { at(r, receipts.Candidate).Pod.UID = "other" }, "blocked/unproven"},
		{"world without a nonce", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Nonce = ""
			}
		}, "blocked/unproven"},
		{"rollback in the pod of before", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			uid := at(r, receipts.Before).Pod.UID
			at(r, receipts.Rollback).Pod.UID, at(r, receipts.Rollback).Joins[0].Pod = uid, uid
		}, "blocked/unproven"},
		{"mods wiped by the candidate", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			claim(r, receipts.Rollback, receipts.Mods).Marker = ""
		}, "blocked/no-way-back"},
		{"last edits lost by the candidate", receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			good := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
			*at(r, receipts.Rollback) = *at(&good, receipts.Rollback)
			cp := at(r, receipts.Rollback)
			refuse(r, receipts.Rollback, receipts.ReasonWorldLost)
			cp.Joins[0].Class = receipts.ClassTraceLost
		}, "blocked/world-lost"},
		{"platform digest ran", receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			r.Candidate.PlatformDigest = receiptstest.Digest("platform")
			at(r, receipts.Candidate).Pod.ImageID = "registry:5000/game@" + r.Candidate.PlatformDigest
		}, receipts.CompatibleRollback},
		{"rollback lost the world, restore brought it back", receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			good := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
			*at(r, receipts.Rollback) = *at(&good, receipts.Rollback)
			at(r, receipts.Rollback).Joins[0].Marker = ""
		}, receipts.RestoreRequired},
		{"no way back", receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			refuse(r, receipts.Restored, receipts.ReasonCrash)
		}, "blocked/no-way-back"},
		{"restore not seen", receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) { drop(r, receipts.Restored) }, "blocked/unfinished"},
		{"mods overwritten by the restore", receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			claim(r, receipts.Restored, receipts.Mods).Marker = "x"
		}, "blocked/no-way-back"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(tt.scenario, "amd64")
			tt.spoil(&r)
			if _, _, got := receipts.Evaluate(r); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestBadImagesMustBeBlockedForTheirReason(t *testing.T) {
	t.Parallel()
	for _, scenario := range receiptstest.EveryScenario() {
		r := receiptstest.Observations(scenario, "amd64")
		checks, verdict, disposition := receipts.Evaluate(r)
		if bad := strings.HasPrefix(scenario, "bad-image/"); verdict != receipts.Passed || disposition.Promotable() == bad {
			t.Errorf("%s: %s %s %+v", scenario, verdict, disposition, failing(checks))
		}
		if at(&r, receipts.Candidate).Outcome == receipts.Reached {
			continue
		}
		at(&r, receipts.Candidate).Reason = receipts.ReasonUnfinished
		if _, verdict, _ := receipts.Evaluate(r); verdict != receipts.Failed {
			t.Errorf("%s, blocked for another reason: %s", scenario, verdict)
		}
	}
}

func TestAServerWithoutExtraClaims(t *testing.T) {
	t.Parallel()
	r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
	for i := range r.Checkpoints {
		r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:1]
	}
	if checks, verdict, disposition := receipts.Evaluate(r); verdict != receipts.Passed || disposition != receipts.CompatibleRollback {
		t.Errorf("%s %s: %+v", verdict, disposition, failing(checks))
	}
}

// TestAServerWithTwoExtraClaims: each of them holds part of the world, in whatever order they are seen.
func TestAServerWithTwoExtraClaims(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second  func(point string, claim *receipts.Claim)
		want    receipts.Disposition
		verdict receipts.Verdict
	}{
		"kept": {func(string, *receipts.Claim) {}, receipts.CompatibleRollback, receipts.Passed},
		"lost by the candidate": {func(point string, claim *receipts.Claim) {
			if point == receipts.Candidate {
				claim.Marker = "0000"
			}
		}, receipts.Blocked(receipts.ReasonWorldLost), receipts.Passed},
		"lost at the rollback": {func(point string, claim *receipts.Claim) {
			if point == receipts.Rollback {
				claim.Marker = ""
			}
		}, receipts.Blocked(receipts.ReasonUnfinished), receipts.Failed},
		"replaced": {func(point string, claim *receipts.Claim) {
			if point == receipts.Rollback {
				claim.UID = "another"
			}
		}, receipts.CompatibleRollback, receipts.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
			for i := range r.Checkpoints {
				point := &r.Checkpoints[i]
				second := point.Claims[1]
				second.Name, second.UID, second.Volume = second.Name+"-nether", second.UID+"-nether", second.Volume+"-nether"
				test.second(point.Name, &second)
				at := 1 + i%2 // before and behind the first, in turn
				point.Claims = slices.Insert(slices.Clone(point.Claims), at, second)
			}
			checks, verdict, disposition := receipts.Evaluate(r)
			if verdict != test.verdict || disposition != test.want {
				t.Errorf("%s %s: %+v", verdict, disposition, failing(checks))
			}
		})
	}
}

// Evaluate must not look at what the receipt claims, nor change it.
func TestEvaluateIsPure(t *testing.T) {
	t.Parallel()
	honest, lying := receiptstest.Receipt(receipts.ScenarioUpdate), receiptstest.Receipt(receipts.ScenarioUpdate)
	lying.Verdict, lying.Disposition, lying.Checks = receipts.Failed, "blocked/crash", nil
	checks, verdict, disposition := receipts.Evaluate(lying)
	want, _, _ := receipts.Evaluate(honest)
	if diff := cmp.Diff(want, checks); diff != "" || verdict != honest.Verdict || disposition != honest.Disposition {
		t.Errorf("the claims made a difference: %s %s\n%s", verdict, disposition, diff)
	}
	if diff := cmp.Diff(receiptstest.Receipt(receipts.ScenarioUpdate), honest); diff != "" {
		t.Errorf("the receipt was changed:\n%s", diff)
	}
}

// What honest rehearsals of real games look like must not be held against them.
func TestEvaluateIsNoStricterThanItMustBe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scenario string
		change   spoiler
		want     receipts.Disposition
	}{
		"plugins write beside the mods": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			for _, point := range []string{receipts.Candidate, receipts.Rollback} {
				claim(r, point, receipts.Mods).Tree = receiptstest.Digest("plugins at " + point)
			}
		}, receipts.CompatibleRollback},
		"visits make new land": {receipts.ScenarioUpdate, func(r *receipts.Receipt) {
			at(r, receipts.Candidate).World.Chunks += 100
			at(r, receipts.Rollback).World.Chunks += 150
		}, receipts.CompatibleRollback},
		"a restore takes new land back": {receipts.ScenarioRestoreRequired, func(r *receipts.Receipt) {
			at(r, receipts.Before).World.Chunks += 100
			at(r, receipts.Candidate).World.Chunks += 200
		}, receipts.RestoreRequired},
	} {
		r := receiptstest.Observations(test.scenario, "amd64")
		test.change(&r)
		checks, verdict, disposition := receipts.Evaluate(r)
		if verdict != receipts.Passed || disposition != test.want {
			t.Errorf("%s: %s %s: %+v", name, verdict, disposition, failing(checks))
		}
	}
}
