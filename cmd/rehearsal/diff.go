package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func newDiffCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "diff A B [--key FILE]",
		Short: "Show in what two receipts differ in meaning: not in UIDs, times and random values",
		Long: `Compares two receipts. What is random in each run (UIDs, markers, snapshots, times, names of registries) is
replaced by what it stands for, so that two runs that went the same way show no difference.

With --key the signatures are verified; without, a line on standard error says that nobody vouches for them.

Exit codes: 0 the same, 1 they differ or one was refused, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal diff old/restore-required.amd64.intoto.json new/restore-required.amd64.intoto.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError("want two receipts to compare")
			}
			if args[0] == "-" && args[1] == "-" {
				return usageError("standard input can be read once: name a file for one of the two receipts")
			}
			trusted, err := readKeys(keys)
			if err != nil {
				return cannot(err)
			}
			if len(keys) == 0 {
				cmd.PrintErrln("rehearsal: NOT VERIFIED: no key was given, nobody vouches for these receipts")
			}
			var meanings [2]meaning
			for i, path := range args {
				receipt, err := readOneReceipt(path, cmd.InOrStdin(), trusted)
				if err != nil {
					return err
				}
				meanings[i] = meaningOf(receipt)
			}
			differences := printDifferences(cmd.OutOrStdout(), meanings[0], meanings[1])
			if differences > 0 {
				return exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to verify with (repeatable)")
	return cmd
}

func readOneReceipt(path string, stdin io.Reader, keys []dsse.Key) (*statement.Receipt, error) {
	inputs := &signedInputs{paths: []string{path}, stdin: stdin}
	var found *statement.Receipt
	var refused error
	for input := range inputs.All {
		document, _, err := openFor(input, keys)
		switch {
		case err != nil:
			refused = exitError{exitFailed, fmt.Errorf("%s: %s", printable(input.Name), printable(err.Error()))}
		case document.Receipt == nil:
			refused = exitError{exitFailed, fmt.Errorf("%s: not a receipt", printable(input.Name))}
		case found != nil:
			return nil, usageError("%s holds more than one receipt: name one", printable(path))
		default:
			found = document.Receipt
		}
	}
	if err := inputs.Err(); err != nil {
		return nil, cannot(err)
	}
	if found == nil && refused == nil {
		refused = exitError{exitFailed, fmt.Errorf("%s: no receipt", printable(path))}
	}
	return found, refused
}

// printDifferences prints a line for each place at which two meanings differ, and returns their number.
func printDifferences(out io.Writer, a, b meaning) int {
	reporter := &lineReporter{out: out}
	cmp.Equal(a, b, cmp.Reporter(reporter))
	return reporter.lines
}

// lineReporter writes differences as "place: left → right".
type lineReporter struct {
	out   io.Writer
	path  cmp.Path
	lines int
}

func (r *lineReporter) PushStep(step cmp.PathStep) { r.path = append(r.path, step) }

func (r *lineReporter) PopStep() { r.path = r.path[:len(r.path)-1] }

func (r *lineReporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	r.lines++
	left, right := r.path.Last().Values()
	fmt.Fprintf(r.out, "%s: %s → %s\n", printable(place(r.path)), side(left), side(right))
}

// side is one side of a difference.
func side(v reflect.Value) string {
	if !v.IsValid() {
		return "nothing"
	}
	return printable(fmt.Sprintf("%+v", v.Interface()))
}

// place writes a path for people: Checkpoints.candidate.Outcome.
func place(path cmp.Path) string {
	var parts []string
	for _, step := range path {
		switch step := step.(type) {
		case cmp.StructField:
			parts = append(parts, step.Name())
		case cmp.MapIndex:
			parts = append(parts, fmt.Sprint(step.Key()))
		case cmp.SliceIndex:
			parts = append(parts, fmt.Sprint(step))
		}
	}
	return strings.Join(parts, ".")
}
