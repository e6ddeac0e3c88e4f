package report

import (
	"fmt"
	"io"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Explanation says what the counting receipts vouch for, and what nobody vouches for. It follows the Decision.
func Explanation(out io.Writer, d gate.Decision) {
	fmt.Fprintln(out, "\nVouched for:")
	for _, cell := range d.Cells {
		if cell.Disposition == "" {
			continue
		}
		fmt.Fprintf(out, "  - %s, %s, run %s, finished %s (%s before this decision):\n", printable.Line(cell.Architecture), printable.Line(cell.Scenario),
			printable.Line(cell.Run), clock(cell.FinishedAt), d.At.Sub(cell.FinishedAt).Round(time.Second))
		for _, line := range vouchedFor(cell) {
			fmt.Fprintf(out, "      %s\n", line)
		}
	}
	for _, cell := range d.Cells {
		if cell.Disposition == "" {
			fmt.Fprintf(out, "  - %s: the harness passed %s, which tests the harness itself.\n", printable.Line(cell.Architecture), printable.Line(cell.Scenario))
		}
	}
	if len(d.Cells) == 0 {
		fmt.Fprintln(out, "  - nothing: no receipt counts for this candidate.")
	}
	fmt.Fprintln(out, "Not vouched for:")
	for _, line := range notVouchedFor(d) {
		fmt.Fprintf(out, "  - %s\n", line)
	}
}

func vouchedFor(cell gate.CellReport) []string {
	lines := []string{
		"the image of this digest ran on a clone restored from a backup, in a new pod;",
		joined(cell.Depth) + ";",
		"the claims kept their UIDs and their marker, and the untouched fleet member kept its pod throughout;",
	}
	if cell.Disposition == statement.RestoreRequired {
		return append(lines, "the old image did NOT get on with the save as the candidate had left it: going back took a restore of the backup,",
			"and whatever was played since that backup was lost with it.")
	}
	return append(lines, "the old image then read the save as the candidate had left it: going back needs no restore.")
}

// joined says what a player did at a depth.
func joined(depth string) string {
	switch depth {
	case statement.Held:
		return "a player joined, found the marker in the world, edited it, and found it again after a restart"
	case statement.Joined:
		return "a player joined and found the marker in the world, before and after a restart; that the game saves what players do was NOT seen"
	case statement.Partial:
		return "a login was answered, before and after a restart; NOBODY was in the world"
	}
	return "the game told its status, before and after a restart; NOBODY joined"
}

func notVouchedFor(d gate.Decision) []string {
	lines := []string{
		"who built the image, and from what: that is for provenance and signatures of the image;",
		"other worlds, mods and settings than those of the backup that was restored;",
		"load, plugins, and more than one player at a time;",
		"what happens after the last moment of the rehearsal;",
	}
	left := "that no other run failed: a run can be left out as a whole"
	if d.Challenge != "" {
		lines = append(lines, left+", also one that answers the challenge.")
	} else {
		lines = append(lines, left+". A --challenge keeps out at least those that were made before.")
	}
	if d.Template == "" {
		lines = append(lines, "the template that the image will be promoted with: name it with --template.")
	}
	if d.Bundle == "" {
		lines = append(lines, "the module bundle that it will come in: name it with --bundle.")
	}
	for _, override := range d.Overrides {
		if len(override.Used) > 0 {
			lines = append(lines, fmt.Sprintf("what %s waived: %v.", printable.Line(override.By), override.Used))
		}
	}
	return lines
}
