package receiptstest

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Values in the receipts of this package.
const (
	Marker    = "0123456789abcdef"
	CloneMods = "fedcba9876543210"
)

// Time returns when the rehearsals of this package begin.
func Time() time.Time { return time.Date(2026, time.November, 11, 9, 0, 0, 0, time.UTC) }

// Digest returns a made-up digest: the sha256 of a name.
func Digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// hexOf returns a made-up id of 64 hex digits.
func hexOf(name string) string { return Digest(name)[len("sha256:"):] }

// uid returns a made-up UID in the form that Kubernetes gives them.
func uid(name string) string {
	h := hexOf(name)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

// Baseline returns the revision that the fleet runs in every receipt of this package.
func Baseline() statement.Revision { return revision("1.20.2", "game-a") }

// Candidate returns the candidate of a scenario.
func Candidate(scenario string) statement.Revision {
	switch scenario {
	case statement.ScenarioCompatibleRollback, statement.ScenarioUpdate:
		return revision("1.20.2-rebuild", "game-a-rebuilt")
	case statement.ScenarioFormatChanging, statement.ScenarioRestoreRequired:
		return revision("1.21.1", "game-b")
	}
	return revision(scenario, scenario)
}

func revision(name, image string) statement.Revision {
	digest := Digest(image)
	return statement.Revision{
		Name:           name,
		Image:          "registry:5000/game@" + digest,
		Digest:         digest,
		Template:       "game",
		TemplateDigest: Digest("template of " + image),
		Fixture:        true,
	}
}

// Scenarios returns the scenarios of the suite.
func Scenarios() []string {
	return []string{
		statement.ScenarioUnpullable,
		statement.ScenarioHTTPOnly,
		statement.ScenarioFormatChanging,
		statement.ScenarioCompatibleRollback,
		statement.ScenarioRestoreRequired,
	}
}

// EveryScenario returns all known scenarios: those of the suite, a user's own update, and the other bad images.
func EveryScenario() []string {
	all := append(Scenarios(), statement.ScenarioUpdate)
	for _, bad := range badImages() {
		all = append(all, bad.scenario)
	}
	return all
}

// badImage is the scenario of a bad image that runs, with the reason for which the image is refused.
type badImage struct {
	scenario string
	reason   statement.Reason
}

func badImages() []badImage {
	return []badImage{
		{"bad-image/status-only", statement.ReasonJoinFailed},
		{"bad-image/wrong-protocol", statement.ReasonJoinFailed},
		{"bad-image/wrong-architecture", statement.ReasonCrash},
		{"bad-image/crash-loop", statement.ReasonCrash},
		{"bad-image/ready-then-dies", statement.ReasonCrash},
		{"bad-image/joins-then-dies", statement.ReasonJoinFailed},
		{"bad-image/slow-start", statement.ReasonNotReady},
		{"bad-image/no-save", statement.ReasonWorldLost},
		{"bad-image/fresh-world", statement.ReasonWorldLost},
		{"bad-image/loses-extra", statement.ReasonWorldLost},
		{"bad-image/loses-chunks", statement.ReasonWorldLost},
	}
}

// Receipt returns the complete, PASSED receipt of a scenario on amd64. The scenario is one of EveryScenario.
func Receipt(scenario string) statement.Receipt {
	return evaluation.Complete(Observations(scenario, "amd64"))
}

// Observations returns such a receipt without checks, verdict and disposition.
func Observations(scenario, architecture string) statement.Receipt {
	c := clone{scenario: scenario, architecture: architecture, candidate: Candidate(scenario)}
	r := statement.Receipt{
		Run: statement.Run{
			ID:         "run-" + architecture,
			Scenario:   scenario,
			Harness:    "v1.0.0",
			StartedAt:  Time(),
			FinishedAt: Time().Add(90 * time.Second),
			Marker:     Marker,
			CloneMods:  CloneMods,
		},
		Environment: c.environment(),
		Baseline:    Baseline(),
		Candidate:   c.candidate,
		Backup: &statement.Backup{
			Name:     "backup",
			UID:      uid("backup"),
			Snapshot: hexOf("snapshot"),
			Source:   "member-a",
			Revision: Baseline().Digest,
		},
		Restores: []statement.Restore{c.restore(statement.PurposeSeed)},
		Fleet: []statement.Member{{
			Server:  "member-b",
			PodUIDs: []string{uid("member-b")},
			ImageID: Baseline().Image,
			Alive:   true,
			Gapless: true,
			Pending: c.candidate.TemplateDigest,
		}},
		Journal: statement.JournalState{Entries: 1, Head: Digest("journal"), Admitted: []string{Baseline().Digest}},
		Spans: []statement.Span{
			{Name: "fleet", Start: Time(), Millis: 20_000, Waited: "pods"},
			{Name: "clone", Start: Time().Add(20 * time.Second), Millis: 25_000, Waited: "restore"},
			{Name: "candidate", Start: Time().Add(45 * time.Second), Millis: 45_000},
		},
	}
	r.Checkpoints = c.checkpoints()
	if scenario == statement.ScenarioFormatChanging || scenario == statement.ScenarioRestoreRequired {
		r.Restores = append(r.Restores, c.restore(statement.PurposeRollback))
	}
	return r
}

// SmallReceipt returns a receipt with few observations.
func SmallReceipt() statement.Receipt {
	r := Observations(statement.ScenarioUpdate, "amd64")
	r.Checkpoints, r.Fleet, r.Spans, r.Restores, r.Backup = nil, nil, nil, nil, nil
	return r
}
