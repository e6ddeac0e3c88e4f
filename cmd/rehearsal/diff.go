package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func newDiffCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "diff A B [--key FILE]",
		Short: "Show how two receipts differ, apart from UIDs, times and random values",
		Long: `Compares two receipts. It replaces what is random in each run (UIDs, markers, snapshots, times, names of
registries) by names such as "pod 2". Two runs with the same course show no difference.

With --key it verifies the signatures. Without, a line on standard error says that nobody vouches for the receipts.

Exit codes: 0 the same, 1 they differ or one was refused, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal diff old/restore-required.amd64.intoto.json new/restore-required.amd64.intoto.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return exit.Usage("want two receipts to compare")
			}
			if args[0] == "-" && args[1] == "-" {
				return exit.Usage("standard input can be read once: name a file for one of the two receipts")
			}
			return diff(cmd, args[0], args[1], keys)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to verify with (repeatable)")
	return cmd
}

func diff(cmd *cobra.Command, left, right string, keys []string) error {
	trusted, err := keyfile.Public(keys...)
	if err != nil {
		return exit.Cannot(err)
	}
	if len(keys) == 0 {
		cmd.PrintErrln("rehearsal: NOT VERIFIED: no key was given, nobody vouches for these receipts")
	}
	a, err := readOneReceipt(left, cmd.InOrStdin(), trusted)
	if err != nil {
		return err
	}
	b, err := readOneReceipt(right, cmd.InOrStdin(), trusted)
	if err != nil {
		return err
	}
	if report.Differences(cmd.OutOrStdout(), a, b) > 0 {
		return exit.Failed(nil)
	}
	return nil
}

func readOneReceipt(path string, stdin io.Reader, keys []dsse.Key) (*statement.Receipt, error) {
	source := &rundir.Source{Paths: []string{path}, Stdin: stdin}
	var found *statement.Receipt
	var refused error
	for input := range source.All {
		document, err := open(input.Raw, keys)
		switch {
		case err != nil:
			refused = exit.Failed(fmt.Errorf("%s: %s", input.Name, printable.Line(err.Error())))
		case document.Receipt == nil:
			refused = exit.Failed(fmt.Errorf("%s: not a receipt", input.Name))
		case found != nil:
			return nil, exit.Usage("%s holds more than one receipt: name one", printable.Line(path))
		default:
			found = document.Receipt
		}
	}
	if err := source.Err(); err != nil {
		return nil, exit.Cannot(err)
	}
	if found == nil && refused == nil {
		refused = exit.Failed(fmt.Errorf("%s: no receipt", printable.Line(path)))
	}
	return found, refused
}
