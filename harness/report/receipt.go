package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func (p page) receipt(r *statement.Receipt) {
	p.line("  verdict\t%s", r.Verdict)
	p.line("  disposition\t%s", r.Disposition)
	p.line("  run\t%s, %s, %s to %s", r.Run.ID, r.Run.Scenario, clock(r.Run.StartedAt), clock(r.Run.FinishedAt))
	if r.Run.Challenge != "" {
		p.line("  challenge\t%s", r.Run.Challenge)
	}
	e := r.Environment
	p.line("  on\t%s%s, Kubernetes %s, egress %s, operator %s by %s", e.Architecture, emulated(e), e.Kubernetes, e.Egress, e.Operator.Name, e.Operator.Adoption)
	p.line("  baseline\t%s%s  %s", r.Baseline.Name, fixture(r.Baseline), r.Baseline.Image)
	p.line("  candidate\t%s%s  %s", r.Candidate.Name, fixture(r.Candidate), r.Candidate.Image)
	if r.Fault != nil {
		p.line("  fault\t%s in %s: %s", r.Fault.Class, r.Fault.Step, r.Fault.Message)
	}
	p.claims(r)
	p.checkpoints(r)
	p.history(r)
	p.checks(r)
	p.spans(r)
}

func emulated(e statement.Environment) string {
	if e.Emulated {
		return " (emulated)"
	}
	return ""
}

func fixture(r statement.Revision) string {
	if r.Fixture {
		return " (made for tests)"
	}
	return ""
}

// claims is the table of the rollout contract: each claim before the candidate, and after candidate and rollback.
func (p page) claims(r *statement.Receipt) {
	if len(r.Checkpoints) == 0 {
		return
	}
	before, after := r.Checkpoints[0], r.Checkpoints[len(r.Checkpoints)-1]
	p.line("\n  Clone PVC\tBefore candidate\tAfter candidate and rollback\tMarker before\tafter")
	for _, row := range claimRows(r.Checkpoints) {
		was, _ := row.in(before)
		is, _ := row.in(after)
		p.line("  %s\t%s\t%s\t%s\t%s", row.label, was.UID, is.UID, was.Marker, is.Marker)
	}
}

func (p page) checkpoints(r *statement.Receipt) {
	p.line("\n  Checkpoint\tOutcome\tPod\tImage\tWorld")
	for _, cp := range r.Checkpoints {
		p.checkpoint(cp)
	}
	for _, cp := range r.Checkpoints {
		if cp.Message != "" {
			p.line("  at %s: %s", cp.Name, cp.Message)
		}
	}
	p.line("\n  Join at\tDepth\tClass\tMarker\tTook\tEvidence")
	for _, cp := range r.Checkpoints {
		for _, join := range cp.Joins {
			p.line("  %s\t%s\t%s\t%s\t%d ms\t%s", cp.Name, join.Depth, join.Class, join.Marker, join.Millis, join.Evidence)
		}
	}
}

func (p page) checkpoint(cp statement.Checkpoint) {
	outcome := string(cp.Outcome)
	if cp.Reason != "" {
		outcome += ": " + string(cp.Reason)
	}
	uid, image := "", ""
	if cp.Pod != nil {
		uid, image = cp.Pod.UID, statement.WithoutRepository(cp.Pod.ImageID)
	}
	p.line("  %s\t%s\t%s\t%s\t%s", cp.Name, outcome, uid, image, worldText(cp.World))
}

func worldText(w *statement.World) string {
	if w == nil {
		return ""
	}
	text := fmt.Sprintf("DataVersion %d, format marker %q, %d chunks, %d players", w.DataVersion, w.FormatMarker, w.Chunks, w.Players)
	if w.Damaged > 0 {
		text += fmt.Sprintf(", %d damaged", w.Damaged)
	}
	return text
}

// history shows the backup, the restores, the fleet and the journal.
func (p page) history(r *statement.Receipt) {
	p.line("")
	if r.Backup != nil {
		p.line("  backup\t%s of %s, restic snapshot %s", r.Backup.UID, r.Backup.Source, r.Backup.Snapshot)
	}
	for _, restore := range r.Restores {
		p.line("  restore\t%s for the %s, restic snapshot %s", restore.UID, restore.Purpose, restore.Snapshot)
	}
	for _, member := range r.Fleet {
		p.line("  fleet\t%s, pods %s, %d restarts, gapless watch %t", member.Server, strings.Join(member.PodUIDs, " "), member.Restarts, member.Gapless)
	}
	p.line("  journal\tup to entry %d, admitted %s", r.Journal.Entries, strings.Join(r.Journal.Admitted, " "))
}

func (p page) checks(r *statement.Receipt) {
	p.line("\n  Check\t\tWanted\tFound")
	checks, _, _ := evaluation.Of(*r) // nobody has verified what the receipt itself says here
	for _, check := range checks {
		word := "ok"
		if !check.OK {
			word = "FAILS"
		}
		p.line("  %s\t%s\t%s\t%s", check.Name, word, check.Want, check.Got)
	}
}

func (p page) spans(r *statement.Receipt) {
	p.line("\n  Phase\tTook\tWaited for")
	var sum time.Duration
	for _, span := range r.Spans {
		took := time.Duration(span.Millis) * time.Millisecond
		sum += took
		p.line("  %s\t%s\t%s", span.Name, took.String(), span.Waited)
	}
	wall := r.Run.FinishedAt.Sub(r.Run.StartedAt)
	p.line("  between\t%s", (wall - sum).Round(time.Millisecond).String())
	p.line("  run\t%s", wall.Round(time.Millisecond).String())
}
