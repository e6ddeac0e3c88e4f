package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// printTable writes what people want to know of a run: each case with its verdict and disposition, and the
// observations that these rest on.
func printTable(out io.Writer, all []receipts.Receipt) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCENARIO\tCANDIDATE\tVERDICT\tDISPOSITION\tTIME")
	for _, receipt := range all {
		took := receipt.Run.FinishedAt.Sub(receipt.Run.StartedAt)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.0fs\n", receipt.Run.Scenario, receipt.Candidate.Name, receipt.Verdict, receipt.Disposition, took.Seconds())
	}
	table.Flush()
	for _, receipt := range all {
		printCase(out, receipt)
	}
}

func printCase(out io.Writer, receipt receipts.Receipt) {
	fmt.Fprintf(out, "\n%s (%s → %s)\n", receipt.Run.Scenario, receipt.Baseline.Name, receipt.Candidate.Name)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	header := []string{"  CLAIM"}
	for _, point := range receipt.Checkpoints {
		header = append(header, strings.ToUpper(point.Name))
	}
	fmt.Fprintln(table, strings.Join(header, "\t"))
	for _, role := range []string{receipts.Primary, receipts.Extra, receipts.Mods} {
		fmt.Fprintln(table, strings.Join(claimRow(receipt, role), "\t"))
	}
	fmt.Fprintln(table, strings.Join(valueRow(receipt, "format marker", formatMarker), "\t"))
	fmt.Fprintln(table, strings.Join(valueRow(receipt, "player", player), "\t"))
	table.Flush()
	if backup := receipt.Backup; backup != nil {
		fmt.Fprintf(out, "  restic snapshot %s\n", backup.Snapshot)
	}
	for _, restore := range receipt.Restores {
		fmt.Fprintf(out, "  Restore %s (%s)\n", restore.UID, restore.Purpose)
	}
	for _, witness := range receipt.Fleet {
		fmt.Fprintf(out, "  %s kept pod %s\n", witness.Server, strings.Join(witness.PodUIDs, ", then "))
	}
	for _, point := range receipt.Checkpoints {
		if point.Outcome == receipts.Refused {
			fmt.Fprintf(out, "  %s refused: %s: %s\n", point.Name, point.Reason, point.Message)
		}
	}
	for _, check := range receipt.Checks {
		if !check.OK {
			fmt.Fprintf(out, "  check %s: want %s, got %s\n", check.Name, check.Want, check.Got)
		}
	}
	if fault := receipt.Fault; fault != nil {
		fmt.Fprintf(out, "  ended early at %s (%s): %s\n", fault.Step, fault.Class, fault.Message)
	}
}

// claimRow shows a claim's UID at each checkpoint and, under it in spirit, the marker that it held.
func claimRow(receipt receipts.Receipt, role string) []string {
	row := []string{"  " + role}
	for _, point := range receipt.Checkpoints {
		row = append(row, claimCell(point, role))
	}
	return row
}

func claimCell(point receipts.Checkpoint, role string) string {
	for _, claim := range point.Claims {
		if claim.Role == role {
			return fmt.Sprintf("%s %s", claim.UID, orNone(claim.Marker))
		}
	}
	return "-"
}

func valueRow(receipt receipts.Receipt, name string, value func(receipts.Checkpoint) string) []string {
	row := []string{"  " + name}
	for _, point := range receipt.Checkpoints {
		row = append(row, orNone(value(point)))
	}
	return row
}

func formatMarker(point receipts.Checkpoint) string {
	if point.World == nil {
		return ""
	}
	return point.World.FormatMarker
}

func player(point receipts.Checkpoint) string {
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
