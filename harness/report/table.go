package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Table writes a summary of a run: each case with its verdict and disposition, and the observations that these rest on.
func Table(out io.Writer, all []statement.Receipt) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	page{table}.line("SCENARIO\tCANDIDATE\tVERDICT\tDISPOSITION\tTIME")
	for _, receipt := range all {
		took := receipt.Run.FinishedAt.Sub(receipt.Run.StartedAt)
		page{table}.line("%s\t%s\t%s\t%s\t%.0fs", receipt.Run.Scenario, receipt.Candidate.Name, receipt.Verdict, receipt.Disposition, took.Seconds())
	}
	table.Flush()
	for _, receipt := range all {
		rehearsal(out, receipt)
	}
	interrupted(out, all)
}

// interrupted names the cases that an interruption ended, in one line.
func interrupted(out io.Writer, all []statement.Receipt) {
	var cases []string
	for _, receipt := range all {
		if receipt.Fault != nil && receipt.Fault.Class == statement.FaultInterrupted {
			cases = append(cases, receipt.Run.Scenario+" at "+receipt.Fault.Step)
		}
	}
	if len(cases) > 0 {
		page{out}.line("\ninterrupted: %s", strings.Join(cases, ", "))
	}
}

// rehearsal shows one receipt.
func rehearsal(out io.Writer, receipt statement.Receipt) {
	text := page{out}
	text.line("\n%s (%s → %s)", receipt.Run.Scenario, receipt.Baseline.Name, receipt.Candidate.Name)
	observations(out, receipt)
	if backup := receipt.Backup; backup != nil {
		text.line("  restic snapshot %s", backup.Snapshot)
	}
	for _, restore := range receipt.Restores {
		text.line("  Restore %s (%s)", restore.UID, restore.Purpose)
	}
	for _, witness := range receipt.Fleet {
		text.line("  %s kept pod %s", witness.Server, strings.Join(witness.PodUIDs, ", then "))
	}
	for _, point := range receipt.Checkpoints {
		if point.Outcome == statement.Refused {
			text.line("  %s refused: %s: %s", point.Name, point.Reason, point.Message)
		}
	}
	if fault := receipt.Fault; fault != nil {
		if fault.Class == statement.FaultInterrupted {
			return // Table says so once
		}
		text.line("  ended early at %s (%s): %s", fault.Step, fault.Class, fault.Message)
		return // the checks fail only for what was not observed
	}
	for _, check := range receipt.Checks {
		if !check.OK {
			text.line("  check %s: want %s, got %s", check.Name, check.Want, check.Got)
		}
	}
}

// observations shows each claim in a row, with its UID and its marker at each checkpoint.
func observations(out io.Writer, receipt statement.Receipt) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, uid string, value func(statement.Checkpoint) string) {
		cells := []string{"  " + printable.Line(name), printable.Line(uid)}
		for _, point := range receipt.Checkpoints {
			cells = append(cells, printable.Line(orNone(value(point))))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	row("CLAIM", "UID", func(point statement.Checkpoint) string { return strings.ToUpper(point.Name) })
	for _, claim := range claimRows(receipt.Checkpoints) {
		uid := claim.firstUID(receipt.Checkpoints)
		row(claim.label, uid, func(point statement.Checkpoint) string { return claim.cell(point, uid) })
	}
	row("format marker", "", formatMarker)
	row("player", "", player)
	table.Flush()
}

// cell is the marker of a claim, with its UID where that is not the first one.
func (row claimRow) cell(point statement.Checkpoint, firstUID string) string {
	claim, found := row.in(point)
	if !found {
		return ""
	}
	marker := cmp.Or(claim.Marker, "no marker")
	if claim.UID != firstUID {
		return fmt.Sprintf("%s in claim %s", marker, claim.UID)
	}
	return marker
}

func formatMarker(point statement.Checkpoint) string {
	if point.World == nil {
		return ""
	}
	return point.World.FormatMarker
}

func player(point statement.Checkpoint) string {
	if len(point.Joins) == 0 {
		return ""
	}
	last := point.Joins[len(point.Joins)-1]
	return strings.TrimSpace(fmt.Sprintf("%s %s", last.Depth, last.Marker))
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
