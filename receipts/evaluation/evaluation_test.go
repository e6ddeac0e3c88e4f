package evaluation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// allScenarios returns the scenarios that these tests have expectations for.
func allScenarios() []string { return append(receiptstest.Scenarios(), statement.ScenarioUpdate) }

func TestOfPassesGoodObservations(t *testing.T) {
	t.Parallel()
	want := map[string]statement.Disposition{
		statement.ScenarioUnpullable:         "blocked/image-pull",
		statement.ScenarioHTTPOnly:           "blocked/join-failed",
		statement.ScenarioFormatChanging:     statement.RestoreRequired,
		statement.ScenarioCompatibleRollback: statement.CompatibleRollback,
		statement.ScenarioRestoreRequired:    statement.RestoreRequired,
		statement.ScenarioUpdate:             statement.CompatibleRollback,
	}
	for _, scenario := range allScenarios() {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			checks, verdict, disposition := evaluation.Of(receiptstest.Observations(scenario, "amd64"))
			if failed := failing(checks); verdict != statement.Passed || len(failed) > 0 {
				t.Errorf("verdict %s, failing checks: %+v", verdict, failed)
			}
			if disposition != want[scenario] {
				t.Errorf("disposition %s, want %s", disposition, want[scenario])
			}
		})
	}
}

func failing(checks []statement.Check) []statement.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c statement.Check) bool { return c.OK })
}

// spoiler changes an observation so that a check fails.
type spoiler func(r *statement.Receipt)

// failingCases holds, for each check, changes that make it fail, and the scenario to which they apply.
var failingCases = []struct {
	check    string
	scenario string
	how      string
	spoil    spoiler
}{
	{"run-complete", statement.ScenarioUpdate, "product fault", func(r *statement.Receipt) {
		r.Fault = &statement.Fault{Class: statement.FaultProduct, Step: "candidate"}
	}},
	{"run-complete", statement.ScenarioUpdate, "infrastructure fault", func(r *statement.Receipt) {
		r.Fault = &statement.Fault{Class: statement.FaultInfrastructure, Step: "backup"}
	}},
	{"run-identified", statement.ScenarioUpdate, "no id", func(r *statement.Receipt) { r.Run.ID = "" }},
	{"run-identified", statement.ScenarioUpdate, "short marker", func(r *statement.Receipt) { r.Run.Marker = "abc" }},
	{"run-identified", statement.ScenarioUpdate, "mods value is the marker", func(r *statement.Receipt) { r.Run.CloneMods = r.Run.Marker }},
	{"run-identified", statement.ScenarioUpdate, "unknown depth", func(r *statement.Receipt) { r.Run.Depth = "DEEP" }},
	{"run-identified", statement.ScenarioUpdate, "ends before it begins", func(r *statement.Receipt) {
		r.Run.FinishedAt = r.Run.StartedAt.Add(-time.Second)
	}},
	{"revisions-pinned", statement.ScenarioUpdate, "candidate by tag", func(r *statement.Receipt) { r.Candidate.Image = "registry:5000/game:latest" }},
	{"revisions-pinned", statement.ScenarioUpdate, "candidate is the baseline", func(r *statement.Receipt) { r.Candidate = r.Baseline }},
	{"revisions-pinned", statement.ScenarioUpdate, "no digest", func(r *statement.Receipt) { r.Baseline.Digest = "" }},
	{"revisions-pinned", statement.ScenarioUpdate, "no template digest", func(r *statement.Receipt) { r.Candidate.TemplateDigest = "v2" }},
	{"revisions-pinned", statement.ScenarioUpdate, "odd platform digest", func(r *statement.Receipt) { r.Candidate.PlatformDigest = "x" }},
	{"revisions-pinned", statement.ScenarioUpdate, "odd bundle digest", func(r *statement.Receipt) { r.Candidate.Bundle = "x" }},
	{"spans-ordered", statement.ScenarioUpdate, "none", func(r *statement.Receipt) { r.Spans = nil }},
	{"spans-ordered", statement.ScenarioUpdate, "overlap", func(r *statement.Receipt) { r.Spans[0].Millis += 2 }},
	{"spans-ordered", statement.ScenarioUpdate, "swapped", func(r *statement.Receipt) { r.Spans[0], r.Spans[1] = r.Spans[1], r.Spans[0] }},
	{"spans-ordered", statement.ScenarioUpdate, "beyond the run", func(r *statement.Receipt) { r.Spans[2].Millis += 2 }},
	{"spans-ordered", statement.ScenarioUpdate, "negative", func(r *statement.Receipt) { r.Spans[2].Millis = -1 }},
	{"journal-baseline-only", statement.ScenarioUpdate, "candidate admitted", func(r *statement.Receipt) {
		r.Journal.Admitted = append(r.Journal.Admitted, r.Candidate.Digest)
	}},
	{"journal-baseline-only", statement.ScenarioUpdate, "nothing admitted", func(r *statement.Receipt) { r.Journal.Admitted = nil }},
	{"journal-baseline-only", statement.ScenarioUpdate, "no head", func(r *statement.Receipt) { r.Journal.Head = "" }},
	{"operator-sound", statement.ScenarioUpdate, "broken on purpose", func(r *statement.Receipt) {
		r.Environment.Operator.Features = append(r.Environment.Operator.Features, "defect=skip-restore@games/*")
	}},
	{"fleet-untouched", statement.ScenarioUpdate, "no member", func(r *statement.Receipt) { r.Fleet = nil }},
	{"fleet-untouched", statement.ScenarioUpdate, "pod replaced", func(r *statement.Receipt) {
		r.Fleet[0].PodUIDs = append(r.Fleet[0].PodUIDs, "another")
	}},
	{"fleet-untouched", statement.ScenarioUpdate, "restarted", func(r *statement.Receipt) { r.Fleet[0].Restarts = 1 }},
	{"fleet-untouched", statement.ScenarioUpdate, "another image", func(r *statement.Receipt) { r.Fleet[0].ImageID = "x@" + receiptstest.Digest("x") }},
	{"fleet-untouched", statement.ScenarioUpdate, "gone at the end", func(r *statement.Receipt) { r.Fleet[0].Alive = false }},
	{"fleet-watched", statement.ScenarioUpdate, "gap", func(r *statement.Receipt) { r.Fleet[0].Gapless = false }},
	{"fleet-not-adopted", statement.ScenarioUpdate, "adopted", func(r *statement.Receipt) { r.Fleet[0].ImageID = r.Candidate.Image }},
	{"fleet-not-adopted", statement.ScenarioUpdate, "offered something else", func(r *statement.Receipt) { r.Fleet[0].Pending = "other" }},
	{"checkpoints-ordered", statement.ScenarioUpdate, "twice", func(r *statement.Receipt) {
		r.Checkpoints = append(r.Checkpoints, r.Checkpoints[2])
	}},
	{"checkpoints-ordered", statement.ScenarioUpdate, "unknown name", func(r *statement.Receipt) { r.Checkpoints[2].Name = "after" }},
	{"checkpoints-ordered", statement.ScenarioUpdate, "swapped times", func(r *statement.Receipt) {
		r.Checkpoints[1].At = r.Checkpoints[0].At.Add(-time.Second)
	}},
	{"checkpoints-ordered", statement.ScenarioUpdate, "after the run", func(r *statement.Receipt) {
		r.Checkpoints[2].At = r.Run.FinishedAt.Add(time.Second)
	}},
	{"checkpoints-ordered", statement.ScenarioUpdate, "unknown outcome", func(r *statement.Receipt) { r.Checkpoints[2].Outcome = "fine" }},
	{"checkpoints-pinned", statement.ScenarioUpdate, "asked for another", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Revision = r.Baseline.Digest }},
	{"before-reached", statement.ScenarioUpdate, "never observed", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Before) }},
	{"before-reached", statement.ScenarioUpdate, "another image", func(r *statement.Receipt) { receiptstest.At(r, statement.Before).Pod.ImageID = r.Candidate.Image }},
	{"before-reached", statement.ScenarioUpdate, "marker not found", func(r *statement.Receipt) { receiptstest.At(r, statement.Before).Joins[0].Marker = "" }},
	{"before-reached", statement.ScenarioUpdate, "mods of the fleet", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Before, statement.Mods).Marker = "x" }},
	{"backup-seed", statement.ScenarioUpdate, "no backup", func(r *statement.Receipt) { r.Backup = nil }},
	{"backup-seed", statement.ScenarioUpdate, "another snapshot", func(r *statement.Receipt) { r.Restores[0].Snapshot = "x" }},
	{"backup-seed", statement.ScenarioUpdate, "no restic id", func(r *statement.Receipt) { r.Backup.Snapshot, r.Restores[0].Snapshot = "latest", "latest" }},
	{"backup-seed", statement.ScenarioUpdate, "no seed", func(r *statement.Receipt) { r.Restores = nil }},
	{"backup-seed", statement.ScenarioUpdate, "no restore UID", func(r *statement.Receipt) { r.Restores[0].UID = "" }},
	{"backup-seed", statement.ScenarioUpdate, "backup of another revision", func(r *statement.Receipt) { r.Backup.Revision = r.Candidate.Digest }},
	{"claims-kept", statement.ScenarioUpdate, "primary replaced", func(r *statement.Receipt) {
		receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).UID = "new"
	}},
	{"claims-kept", statement.ScenarioUpdate, "extra on another volume", func(r *statement.Receipt) {
		receiptstest.ClaimAt(r, statement.Rollback, statement.Extra).Volume = "new"
	}},
	{"claims-kept", statement.ScenarioUpdate, "mods gone", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Rollback).Claims = receiptstest.At(r, statement.Rollback).Claims[:2]
	}},
	{"claims-kept", statement.ScenarioUpdate, "too many", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Before).Claims = slices.Repeat(receiptstest.At(r, statement.Before).Claims, 50)
	}},
	{"claims-kept", statement.ScenarioUpdate, "no primary", func(r *statement.Receipt) { receiptstest.At(r, statement.Before).Claims = nil }},
	{"claims-kept", statement.ScenarioUpdate, "a role twice", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Rollback).Claims[2] = receiptstest.At(r, statement.Rollback).Claims[1]
	}},
	{"candidate-image", statement.ScenarioUpdate, "another digest", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = r.Baseline.Image }},
	{"candidate-image", statement.ScenarioUpdate, "no digest", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = "" }},
	{"candidate-observed", statement.ScenarioUpdate, "never", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Candidate) }},
	{"candidate-observed", statement.ScenarioUpdate, "the old pod", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Candidate).Pod.UID = receiptstest.At(r, statement.Before).Pod.UID
	}},
	{"candidate-observed", statement.ScenarioUnpullable, "unknown reason", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Reason = "bad luck" }},
	{"joins-controlled", statement.ScenarioUpdate, "no control", func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).Joins[0].Control = false }},
	{"joins-controlled", statement.ScenarioUpdate, "no join", func(r *statement.Receipt) {
		for i := range r.Checkpoints {
			r.Checkpoints[i].Joins = nil
		}
	}},
	{"architecture-kept", statement.ScenarioUpdate, "another", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.Architecture = "arm64" }},
	{"architecture-kept", statement.ScenarioUpdate, "none", func(r *statement.Receipt) { r.Environment.Architecture = "" }},
	{"course-ended", statement.ScenarioUpdate, "no rollback", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Rollback) }},
	{"course-ended", statement.ScenarioUpdate, "not joined after a restart", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Candidate).Joins = receiptstest.At(r, statement.Candidate).Joins[1:]
	}},
	{"suite-complete", statement.ScenarioCompatibleRollback, "shallow", func(r *statement.Receipt) { r.Run.Depth = statement.Joined }},
	{"suite-complete", statement.ScenarioUnpullable, "no mods claim", func(r *statement.Receipt) {
		for i := range r.Checkpoints {
			r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:2]
		}
	}},
	{"candidate-blocked", statement.ScenarioUnpullable, "for another reason", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Candidate).Reason = statement.ReasonNotReady
	}},
	{"candidate-blocked", statement.ScenarioHTTPOnly, "it was reached", func(r *statement.Receipt) {
		good := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		cp := *receiptstest.At(&good, statement.Candidate)
		cp.Revision, cp.Pod = r.Candidate.Digest, receiptstest.At(r, statement.Candidate).Pod
		*receiptstest.At(r, statement.Candidate) = cp
	}},
	{"candidate-never-ran", statement.ScenarioUnpullable, "it ran", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = r.Candidate.Image }},
	{"kubelet-words", statement.ScenarioUnpullable, "none", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Message = "" }},
	{"candidate-ran", statement.ScenarioHTTPOnly, "it did not", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = "" }},
	{"http-served-marker", statement.ScenarioHTTPOnly, "another body", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[0].HTTP = "It works!" }},
	{"clone-brought-back", statement.ScenarioHTTPOnly, "left as it was", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Rollback) }},
	{"clone-brought-back", statement.ScenarioUnpullable, "extra world lost", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Rollback, statement.Extra).Marker = "" }},
	{"clone-brought-back", statement.ScenarioUnpullable, "the candidate's pod", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Rollback).Pod.UID = receiptstest.At(r, statement.Candidate).Pod.UID
	}},
	{"candidate-reached", statement.ScenarioFormatChanging, "extra world lost", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Candidate, statement.Extra).Marker = "" }},
	{"candidate-reached", statement.ScenarioCompatibleRollback, "a new world", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.Nonce = "new" }},
	{"data-version-grew", statement.ScenarioFormatChanging, "it did not", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.DataVersion = 3578 }},
	{"format-marker-present", statement.ScenarioFormatChanging, "none", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.FormatMarker = "" }},
	{"rollback-refused", statement.ScenarioFormatChanging, "for another reason", func(r *statement.Receipt) {
		receiptstest.At(r, statement.Rollback).Reason = statement.ReasonCrash
	}},
	{"rollback-refused", statement.ScenarioRestoreRequired, "never tried", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Rollback) }},
	{"not-compatible", statement.ScenarioFormatChanging, "it is", func(r *statement.Receipt) {
		good := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		*receiptstest.At(r, statement.Rollback) = *receiptstest.At(&good, statement.Rollback)
		r.Restores = r.Restores[:1]
		receiptstest.Drop(r, statement.Restored)
	}},
	{"disposition", statement.ScenarioCompatibleRollback, "a restore was made", func(r *statement.Receipt) {
		r.Restores = append(r.Restores, statement.Restore{UID: "u", Snapshot: r.Backup.Snapshot, Purpose: statement.PurposeRollback})
	}},
	{"disposition", statement.ScenarioRestoreRequired, "restore skipped", func(r *statement.Receipt) { r.Restores = r.Restores[:1] }},
	{"data-version-kept", statement.ScenarioCompatibleRollback, "it grew", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.DataVersion++ }},
	{"rollback-reached", statement.ScenarioCompatibleRollback, "world lost", func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).Joins[0].Marker = "" }},
	{"no-restore", statement.ScenarioCompatibleRollback, "one was made", func(r *statement.Receipt) {
		r.Restores = append(r.Restores, statement.Restore{UID: "u", Snapshot: r.Backup.Snapshot, Purpose: statement.PurposeRollback})
	}},
	{"restore-recorded", statement.ScenarioRestoreRequired, "none", func(r *statement.Receipt) { r.Restores = r.Restores[:1] }},
	{"restore-recorded", statement.ScenarioRestoreRequired, "no UID", func(r *statement.Receipt) { r.Restores[1].UID = "" }},
	{"restore-recorded", statement.ScenarioRestoreRequired, "another snapshot", func(r *statement.Receipt) { r.Restores[1].Snapshot = "x" }},
	{"save-back", statement.ScenarioRestoreRequired, "format marker left", func(r *statement.Receipt) { receiptstest.At(r, statement.Restored).World.FormatMarker = "3955" }},
	{"save-back", statement.ScenarioRestoreRequired, "newer version", func(r *statement.Receipt) { receiptstest.At(r, statement.Restored).World.DataVersion = 3955 }},
	{"world-back", statement.ScenarioRestoreRequired, "primary lost", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Restored, statement.Primary).Marker = "" }},
	{"world-back", statement.ScenarioRestoreRequired, "extra lost", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Restored, statement.Extra).Marker = "" }},
	{"mods-own", statement.ScenarioRestoreRequired, "mods of the fleet", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Restored, statement.Mods).Marker = "x" }},
	{"mods-own", statement.ScenarioRestoreRequired, "another tree", func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Restored, statement.Mods).Tree = "x" }},
	{"mods-own", statement.ScenarioRestoreRequired, "never restored", func(r *statement.Receipt) { receiptstest.Drop(r, statement.Restored) }},
	{"scenario-known", "bad-image/unheard-of", "unknown kind", func(*statement.Receipt) {}},
	{"scenario-known", "spring-cleaning", "unknown scenario", func(*statement.Receipt) {}},
}

func TestEachCheckFails(t *testing.T) {
	t.Parallel()
	for _, tt := range failingCases {
		t.Run(tt.check+"/"+tt.how, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(tt.scenario, "amd64")
			tt.spoil(&r)
			checks, verdict, _ := evaluation.Of(r)
			if verdict == statement.Passed {
				t.Errorf("PASSED although the check must fail")
			}
			i := slices.IndexFunc(checks, func(c statement.Check) bool { return c.Name == tt.check })
			if i < 0 || checks[i].OK {
				t.Errorf("the check does not fail; failing: %+v", failing(checks))
			} else if checks[i].Want == "" || checks[i].Got == "" {
				t.Errorf("the check does not say what it wants and got: %+v", checks[i])
			}
		})
	}
}

// A check proves nothing unless a test has seen it fail.
func TestEveryCheckHasAFailingCase(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, tt := range failingCases {
		names[tt.check] = true
	}
	for _, scenario := range append(allScenarios(), "bad-image/crash-loop", "bad-image/unheard-of") {
		checks, _, _ := evaluation.Of(receiptstest.Observations(scenario, "amd64"))
		for _, check := range checks {
			if !names[check.Name] {
				t.Errorf("%s: check %s has no case that makes it fail", scenario, check.Name)
			}
		}
	}
}

func TestVerdictDependsOnTheClassOfAFault(t *testing.T) {
	t.Parallel()
	want := map[string]statement.Verdict{
		statement.FaultProduct:        statement.Failed,
		statement.FaultHarness:        statement.Error,
		statement.FaultInfrastructure: statement.Error,
		statement.FaultInterrupted:    statement.Error,
		"unheard-of":                  statement.Error,
	}
	for class, verdict := range want {
		r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		r.Fault = &statement.Fault{Class: class}
		if _, got, _ := evaluation.Of(r); got != verdict {
			t.Errorf("%s fault: %s, want %s", class, got, verdict)
		}
	}
}

func TestBrokenWatchIsInconclusive(t *testing.T) {
	t.Parallel()
	r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
	r.Fleet[0].Gapless = false
	if _, got, _ := evaluation.Of(r); got != statement.Inconclusive {
		t.Errorf("a gap alone: %s, want %s", got, statement.Inconclusive)
	}
	r.Fleet[0].Restarts = 1
	if _, got, _ := evaluation.Of(r); got != statement.Failed {
		t.Errorf("a gap and a restart: %s, want %s", got, statement.Failed)
	}
}

// TestContradictingObservations: no candidate passes on the contradicting observations of a broken or lying harness.
func TestContradictingObservations(t *testing.T) {
	t.Parallel()
	another := func(point *statement.Checkpoint, role string, change func(*statement.Claim)) {
		more := point.Claims[1]
		more.Role = role
		change(&more)
		point.Claims = append(slices.Clone(point.Claims), more)
	}
	everywhere := func(r *statement.Receipt, role string, change func(point string, claim *statement.Claim)) {
		for i := range r.Checkpoints {
			another(&r.Checkpoints[i], role, func(claim *statement.Claim) { change(r.Checkpoints[i].Name, claim) })
		}
	}
	lostByTheCandidate := func(point string, claim *statement.Claim) {
		if point != statement.Before {
			claim.Marker, claim.Files = "", 0
		}
	}
	for name, test := range map[string]struct {
		scenario string
		spoil    spoiler
	}{
		"first join in the baseline's pod": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).Joins[0].Pod = receiptstest.At(r, statement.Before).Pod.UID
		}},
		"first join in the fleet": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).Joins[0].Pod = r.Fleet[0].PodUIDs[0]
		}},
		"candidate in the fleet's pod": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			cp := receiptstest.At(r, statement.Candidate)
			cp.Pod.UID, cp.Joins[1].Pod = r.Fleet[0].PodUIDs[0], r.Fleet[0].PodUIDs[0]
		}},
		"second claim of the same name, lost": {statement.ScenarioUpdate, func(r *statement.Receipt) { everywhere(r, statement.Extra, lostByTheCandidate) }},
		"claim of an unknown role, lost": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			everywhere(r, "Extra", func(point string, claim *statement.Claim) {
				claim.Name, claim.UID, claim.Volume = "more", "more", "more"
				lostByTheCandidate(point, claim)
			})
		}},
		"second claim for mods": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			everywhere(r, statement.Mods, func(_ string, claim *statement.Claim) { claim.Name, claim.UID, claim.Volume = "more", "more", "more" })
		}},
		"claims that share a UID": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].Claims[1].UID = r.Checkpoints[i].Claims[0].UID
			}
		}},
		"claims without volumes": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				for j := range r.Checkpoints[i].Claims {
					r.Checkpoints[i].Claims[j].Volume = ""
				}
			}
		}},
		"marker in a claim without files": {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Candidate, statement.Extra).Files = 0 }},
		"content without a digest":        {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Tree = "" }},
		"bytes that are no number": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Bytes = "-5 apples"
		}},
		"a third restore": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			r.Restores = append(r.Restores, statement.Restore{Name: "x", UID: "x", Snapshot: r.Backup.Snapshot, Purpose: "rescue"})
		}},
		"restore for the rollback is the seed's": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			r.Restores[1].UID = r.Restores[0].UID
		}},
		"baseline is the candidate's platform": {statement.ScenarioUpdate, func(r *statement.Receipt) { r.Baseline.PlatformDigest = r.Candidate.Digest }},
		"same platform": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			r.Baseline.PlatformDigest = receiptstest.Digest("platform")
			r.Candidate.PlatformDigest = r.Baseline.PlatformDigest
		}},
		"rollback refused in the candidate's pod": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Rollback).Pod.UID = receiptstest.At(r, statement.Candidate).Pod.UID
		}},
		"rollback refused without a pod":  {statement.ScenarioRestoreRequired, func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).Pod = nil }},
		"rollback refused without a word": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).Message = "" }},
		"rollback refused, and joined": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			join := receiptstest.At(r, statement.Before).Joins[0]
			join.Pod = receiptstest.At(r, statement.Rollback).Pod.UID
			receiptstest.At(r, statement.Rollback).Joins = []statement.Join{join}
		}},
		"rollback refused for what is no refusal": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			r.Run.Scenario = statement.ScenarioUpdate
			receiptstest.Refuse(r, statement.Rollback, statement.ReasonUnproven)
		}},
		"bad image without a pod's UID": {statement.ScenarioUnpullable, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.UID = "" }},
		"page served by the pod before": {statement.ScenarioHTTPOnly, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).Joins[0].Pod = receiptstest.At(r, statement.Before).Pod.UID
		}},
		"nobody could join, and somebody did": {statement.ScenarioHTTPOnly, func(r *statement.Receipt) {
			join := receiptstest.At(r, statement.Before).Joins[0]
			join.Pod = receiptstest.At(r, statement.Candidate).Pod.UID
			receiptstest.At(r, statement.Candidate).Joins = append(receiptstest.At(r, statement.Candidate).Joins, join)
		}},
		"bad save of an image that never ran": {"bad-image/no-save", func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = "" }},
		"all at one instant": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].At = r.Run.StartedAt
			}
		}},
		"member twice, with another pod": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			more := r.Fleet[0]
			more.PodUIDs = []string{"the pod that replaced it"}
			r.Fleet = append(r.Fleet, more)
		}},
		"two members in one pod": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			more := r.Fleet[0]
			more.Server = "member-c"
			r.Fleet = append(r.Fleet, more)
		}},
		"first join in a pod of the baseline before the candidate's": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			before := receiptstest.At(r, statement.Before)
			earlier := before.Joins[0]
			earlier.Pod = "baseline-pod-0"
			before.Joins = append([]statement.Join{earlier}, before.Joins...)
			receiptstest.At(r, statement.Candidate).Joins[0].Pod = earlier.Pod
		}},
		"rollback in the candidate's first pod": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			back := receiptstest.At(r, statement.Rollback)
			back.Pod.UID = receiptstest.At(r, statement.Candidate).Joins[0].Pod
			back.Joins[0].Pod = back.Pod.UID
		}},
		"more joins than a rehearsal makes": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			cp := receiptstest.At(r, statement.Candidate)
			cp.Joins = slices.Concat(slices.Repeat(cp.Joins[:1], 64), cp.Joins[1:])
		}},
		"a restore after a good rollback, the world lost": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			lost := *receiptstest.At(r, statement.Rollback)
			lost.Claims = slices.Clone(lost.Claims)
			lost.Claims[0].Marker = ""
			lost.Name, lost.At, lost.Joins = statement.Restored, lost.At.Add(time.Second), []statement.Join{}
			pod := *lost.Pod
			pod.UID = "restored"
			lost.Pod = &pod
			r.Checkpoints = append(r.Checkpoints, lost)
			receiptstest.Refuse(r, statement.Restored, statement.ReasonWorldLost)
		}},
		"one tree of two sizes": {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Rollback, statement.Mods).Files = 1 }},
		"one tree of two markers": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Before, statement.Mods).Tree = receiptstest.ClaimAt(r, statement.Before, statement.Primary).Tree
			receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Tree = receiptstest.ClaimAt(r, statement.Before, statement.Primary).Tree
		}},
		"restored to the candidate's bytes": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Restored, statement.Primary).Tree = receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Tree
		}},
		"one tree of two sizes, after the candidate": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Rollback, statement.Extra).Tree = receiptstest.ClaimAt(r, statement.Candidate, statement.Extra).Tree
			receiptstest.ClaimAt(r, statement.Rollback, statement.Extra).Files = 9999
		}},
		"no chunks at all, and players in them": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Chunks = 0
			}
		}},
		"played, and not a byte differs": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Tree = receiptstest.ClaimAt(r, statement.Before, statement.Primary).Tree
		}},
		"another marker, at a depth that asks for none": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			r.Run.Depth = statement.Query
			receiptstest.At(r, statement.Candidate).Joins[1].Marker = "0000000000000000"
		}},
		"a negative number of chunks": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Chunks = -1
			}
		}},
		"the only chunk not restored": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				if w := r.Checkpoints[i].World; w != nil {
					w.Chunks = 1
				}
			}
			receiptstest.At(r, statement.Restored).World.Chunks = 0
		}},
		"bad image that lost the world, and all is there": {"bad-image/loses-chunks", func(r *statement.Receipt) {
			good := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
			cp := *receiptstest.At(&good, statement.Candidate)
			cp.Revision, cp.Pod.Image, cp.Pod.ImageID = r.Candidate.Digest, r.Candidate.Image, r.Candidate.Image
			for i := range cp.Claims {
				cp.Claims[i].UID, cp.Claims[i].Volume = r.Checkpoints[0].Claims[i].UID, r.Checkpoints[0].Claims[i].Volume
			}
			r.Checkpoints[1] = cp
			receiptstest.Refuse(r, statement.Candidate, statement.ReasonWorldLost)
		}},
		"chunks lost by the candidate":     {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.Chunks-- }},
		"chunks lost by the rollback":      {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).World.Chunks = 0 }},
		"a player lost by the candidate":   {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World.Players-- }},
		"half of the chunks not restored":  {statement.ScenarioRestoreRequired, func(r *statement.Receipt) { receiptstest.At(r, statement.Restored).World.Chunks = 219 }},
		"a player not restored":            {statement.ScenarioRestoreRequired, func(r *statement.Receipt) { receiptstest.At(r, statement.Restored).World.Players-- }},
		"reached, with a reason":           {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Rollback).Reason = statement.ReasonWorldLost }},
		"marker in a claim without a byte": {statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Rollback, statement.Extra).Bytes = "0" }},
		"save rewritten, and not a byte differs": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Tree = receiptstest.ClaimAt(r, statement.Before, statement.Primary).Tree
		}},
		"not pulled, and joined in the pod before": {statement.ScenarioUnpullable, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).Joins = []statement.Join{receiptstest.At(r, statement.Before).Joins[0]}
		}},
		"member without a name": {statement.ScenarioUpdate, func(r *statement.Receipt) { r.Fleet[0].Server = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(test.scenario, "amd64")
			test.spoil(&r)
			checks, verdict, disposition := evaluation.Of(r)
			if verdict == statement.Passed && (disposition.Promotable() || strings.HasPrefix(test.scenario, "bad-image/")) {
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
		want     statement.Disposition
	}{
		{"nothing observed", statement.ScenarioUpdate, func(r *statement.Receipt) { r.Checkpoints = nil }, "blocked/unfinished"},
		{"refused", statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.Refuse(r, statement.Candidate, statement.ReasonCrash)
		}, "blocked/crash"},
		{"refused for no known reason", statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.Refuse(r, statement.Candidate, "promotable/compatible-rollback")
		}, "blocked/unproven"},
		{"wrong image", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = r.Baseline.Image }, "blocked/wrong-image"},
		{"image by tag", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.ImageID = "game:latest" }, "blocked/wrong-image"},
		{"not held", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[1].Depth = statement.Joined }, "blocked/join-failed"},
		{"odd class", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[1].Class = "kicked" }, "blocked/join-failed"},
		{"world lost after the restart", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[1].Marker = "" }, "blocked/world-lost"},
		{"extra lost", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.ClaimAt(r, statement.Candidate, statement.Extra).Marker = "" }, "blocked/world-lost"},
		{"no control", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[0].Control = false }, "blocked/unproven"},
		{"volume not read", statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Candidate, statement.Primary).Read = false
		}, "blocked/unproven"},
		{"save not read", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).World = nil }, "blocked/unproven"},
		{"restarted in place", statement.ScenarioUpdate, func(r *statement.Receipt) {
			cp := receiptstest.At(r, statement.Candidate)
			cp.Joins[0].Pod, cp.Pod.Restarts = cp.Pod.UID, 1
		}, "blocked/crash"},
		{"restarted after the join", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.Restarts = 7 }, "blocked/crash"},
		{"joined in one pod, seen in another", statement.ScenarioUpdate, func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Pod.UID = "other" }, "blocked/unproven"},
		{"world without a nonce", statement.ScenarioUpdate, func(r *statement.Receipt) {
			for i := range r.Checkpoints {
				r.Checkpoints[i].World.Nonce = ""
			}
		}, "blocked/unproven"},
		{"rollback in the pod of before", statement.ScenarioUpdate, func(r *statement.Receipt) {
			uid := receiptstest.At(r, statement.Before).Pod.UID
			receiptstest.At(r, statement.Rollback).Pod.UID, receiptstest.At(r, statement.Rollback).Joins[0].Pod = uid, uid
		}, "blocked/unproven"},
		{"mods wiped by the candidate", statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Rollback, statement.Mods).Marker = ""
		}, "blocked/no-way-back"},
		{"last edits lost by the candidate", statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			good := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
			*receiptstest.At(r, statement.Rollback) = *receiptstest.At(&good, statement.Rollback)
			cp := receiptstest.At(r, statement.Rollback)
			receiptstest.Refuse(r, statement.Rollback, statement.ReasonWorldLost)
			cp.Joins[0].Class = statement.ClassTraceLost
		}, "blocked/world-lost"},
		{"platform digest ran", statement.ScenarioUpdate, func(r *statement.Receipt) {
			r.Candidate.PlatformDigest = receiptstest.Digest("platform")
			receiptstest.At(r, statement.Candidate).Pod.ImageID = "registry:5000/game@" + r.Candidate.PlatformDigest
		}, statement.CompatibleRollback},
		{"rollback lost the world, restore brought it back", statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			good := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
			*receiptstest.At(r, statement.Rollback) = *receiptstest.At(&good, statement.Rollback)
			receiptstest.At(r, statement.Rollback).Joins[0].Marker = ""
		}, statement.RestoreRequired},
		{"baseline not restored", statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.Refuse(r, statement.Restored, statement.ReasonCrash)
		}, "blocked/no-way-back"},
		{"restore not seen", statement.ScenarioRestoreRequired, func(r *statement.Receipt) { receiptstest.Drop(r, statement.Restored) }, "blocked/unfinished"},
		{"mods overwritten by the restore", statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.ClaimAt(r, statement.Restored, statement.Mods).Marker = "x"
		}, "blocked/no-way-back"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(tt.scenario, "amd64")
			tt.spoil(&r)
			if _, _, got := evaluation.Of(r); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestBadImagesAreBlockedForTheirReason(t *testing.T) {
	t.Parallel()
	for _, scenario := range receiptstest.EveryScenario() {
		r := receiptstest.Observations(scenario, "amd64")
		checks, verdict, disposition := evaluation.Of(r)
		if bad := strings.HasPrefix(scenario, "bad-image/"); verdict != statement.Passed || disposition.Promotable() == bad {
			t.Errorf("%s: %s %s %+v", scenario, verdict, disposition, failing(checks))
		}
		if receiptstest.At(&r, statement.Candidate).Outcome == statement.Reached {
			continue
		}
		receiptstest.At(&r, statement.Candidate).Reason = statement.ReasonUnfinished
		if _, verdict, _ := evaluation.Of(r); verdict != statement.Failed {
			t.Errorf("%s, blocked for another reason: %s", scenario, verdict)
		}
	}
}

func TestServerWithoutExtraClaims(t *testing.T) {
	t.Parallel()
	r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
	for i := range r.Checkpoints {
		r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:1]
	}
	if checks, verdict, disposition := evaluation.Of(r); verdict != statement.Passed || disposition != statement.CompatibleRollback {
		t.Errorf("%s %s: %+v", verdict, disposition, failing(checks))
	}
}

// Each extra claim holds a part of the world, in any order.
func TestServerWithTwoExtraClaims(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second  func(point string, claim *statement.Claim)
		want    statement.Disposition
		verdict statement.Verdict
	}{
		"unchanged": {func(string, *statement.Claim) {}, statement.CompatibleRollback, statement.Passed},
		"lost by the candidate": {func(point string, claim *statement.Claim) {
			if point == statement.Candidate {
				claim.Marker = "0000"
			}
		}, statement.Blocked(statement.ReasonWorldLost), statement.Passed},
		"lost at the rollback": {func(point string, claim *statement.Claim) {
			if point == statement.Rollback {
				claim.Marker = ""
			}
		}, statement.Blocked(statement.ReasonUnfinished), statement.Failed},
		"replaced": {func(point string, claim *statement.Claim) {
			if point == statement.Rollback {
				claim.UID = "another"
			}
		}, statement.CompatibleRollback, statement.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
			for i := range r.Checkpoints {
				point := &r.Checkpoints[i]
				second := point.Claims[1]
				second.Name, second.UID, second.Volume = second.Name+"-nether", second.UID+"-nether", second.Volume+"-nether"
				test.second(point.Name, &second)
				at := 1 + i%2 // before and after the first one, in turn
				point.Claims = slices.Insert(slices.Clone(point.Claims), at, second)
			}
			checks, verdict, disposition := evaluation.Of(r)
			if verdict != test.verdict || disposition != test.want {
				t.Errorf("%s %s: %+v", verdict, disposition, failing(checks))
			}
		})
	}
}

// Of neither reads what the receipt claims nor changes the receipt.
func TestOfIsPure(t *testing.T) {
	t.Parallel()
	honest, lying := receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.Receipt(statement.ScenarioUpdate)
	lying.Verdict, lying.Disposition, lying.Checks = statement.Failed, "blocked/crash", nil
	checks, verdict, disposition := evaluation.Of(lying)
	want, _, _ := evaluation.Of(honest)
	if diff := cmp.Diff(want, checks); diff != "" || verdict != honest.Verdict || disposition != honest.Disposition {
		t.Errorf("the claims changed the evaluation: %s %s\n%s", verdict, disposition, diff)
	}
	if diff := cmp.Diff(receiptstest.Receipt(statement.ScenarioUpdate), honest); diff != "" {
		t.Errorf("the receipt was changed:\n%s", diff)
	}
}

// Honest rehearsals of real games pass.
func TestOfAcceptsWhatRealGamesDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scenario string
		change   spoiler
		want     statement.Disposition
	}{
		"plugins write next to the mods": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			for _, point := range []string{statement.Candidate, statement.Rollback} {
				receiptstest.ClaimAt(r, point, statement.Mods).Tree = receiptstest.Digest("plugins at " + point)
			}
		}, statement.CompatibleRollback},
		"joins generate new chunks": {statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).World.Chunks += 100
			receiptstest.At(r, statement.Rollback).World.Chunks += 150
		}, statement.CompatibleRollback},
		"a restore drops new chunks": {statement.ScenarioRestoreRequired, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Before).World.Chunks += 100
			receiptstest.At(r, statement.Candidate).World.Chunks += 200
		}, statement.RestoreRequired},
	} {
		r := receiptstest.Observations(test.scenario, "amd64")
		test.change(&r)
		checks, verdict, disposition := evaluation.Of(r)
		if verdict != statement.Passed || disposition != test.want {
			t.Errorf("%s: %s %s: %+v", name, verdict, disposition, failing(checks))
		}
	}
}
