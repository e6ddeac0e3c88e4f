package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// Decision writes the answer of a gate with its reasons: first the causes, then what follows from them. A decision as of
// another time than now says so.
func Decision(out io.Writer, d gate.Decision, asOf bool) {
	word := "HOLD"
	if d.Promote {
		word = "PROMOTE"
	}
	fmt.Fprintf(out, "%s  %s\n", word, d.Candidate)
	if asOf {
		fmt.Fprintf(out, "  as of %s\n", clock(d.At))
	}
	if d.Promote {
		usedOverrides(out, d.Overrides)
	}
	reasons(out, d.Reasons)
	for _, input := range d.Inputs {
		if input.Code != "" && input.Code != refusal.NotEvidence { // a test result of a receipt is no evidence
			fmt.Fprintf(out, "  refused %s: %s: %s\n", printable.Line(input.Name), input.Code, printable.Line(input.Detail))
		}
	}
	if d.Unreported > 0 {
		fmt.Fprintf(out, "  not listed: %d copies and documents that not enough trusted keys signed\n", d.Unreported)
	}
	for _, cell := range d.Cells {
		fmt.Fprintf(out, "  counts  %s/%s  %s  run %s\n", printable.Line(cell.Architecture), printable.Line(cell.Scenario),
			cmp.Or(string(cell.Disposition), "self-test of the harness"), printable.Line(cell.Run))
	}
}

func usedOverrides(out io.Writer, overrides []gate.OverrideReport) {
	for _, override := range overrides {
		if len(override.Used) > 0 {
			fmt.Fprintf(out, "  by an override of %s until %s: %s (waives %v)\n", printable.Line(override.By),
				clock(override.ExpiresAt), printable.Line(override.Reason), override.Used)
		}
	}
}

func reasons(out io.Writer, all []gate.Reason) {
	first := gate.Causes(all)
	for _, reason := range first {
		fmt.Fprintf(out, "  %s: %s\n", reason.Code, printable.Line(reason.Message))
	}
	for _, reason := range all {
		if !slices.Contains(first, reason) {
			fmt.Fprintf(out, "  so also %s: %s\n", reason.Code, printable.Line(reason.Message))
		}
	}
}
