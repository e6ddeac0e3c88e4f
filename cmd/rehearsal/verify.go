package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/verification"
)

func newVerifyCommand() *cobra.Command {
	var keys []string
	var threshold int
	cmd := &cobra.Command{
		Use:   "verify PATH... --key FILE",
		Short: "Verify the signatures of receipts and manifests, and that each says what its observations show",
		Long: `Verifies signed documents. A path is a file, a directory with *.intoto.json, or - for standard input with one
envelope a line.

Verify checks that
  - a given key signed each document;
  - a receipt's verdict follows from its observations;
  - every receipt that a manifest names is there and belongs to its cell;
  - a manifest names each receipt of its run, where the manifest is given;
  - the rollout journal in a receipt's directory holds what the receipt saw, and its later entries rest on the receipt.
Verify checks neither age nor policy nor candidate: the gate does.

Exit codes: 0 everything verified, 1 something was refused or is missing, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal verify runs/4711 --key rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := strict.Paths(args); err != nil {
				return err
			}
			if threshold < 1 {
				return exit.Usage("--threshold %d: at least one key must have signed", threshold)
			}
			if len(keys) == 0 {
				return exit.Usage("no key given: name the signer's public key with --key")
			}
			return verify(cmd, args, keys, threshold)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to trust (repeatable)")
	cmd.Flags().IntVar(&threshold, "threshold", 1, "number of distinct keys that must have signed")
	return cmd
}

func verify(cmd *cobra.Command, paths, keys []string, threshold int) error {
	trusted, err := keyfile.Public(keys...)
	if err != nil {
		return exit.Cannot(err)
	}
	source := &rundir.Source{Paths: paths, Stdin: cmd.InOrStdin()}
	ok, found := true, false
	for finding := range verification.Of(source, trusted, threshold) {
		ok, found = ok && finding.OK(), true
		fmt.Fprintf(cmd.OutOrStdout(), "%-8s  %s  %s\n", finding.Word, printable.Line(finding.Name), printable.Line(finding.Text))
	}
	if err := source.Err(); err != nil {
		return exit.Cannot(err)
	}
	if !found {
		fmt.Fprintln(cmd.OutOrStdout(), "nothing to verify: no *.intoto.json was found")
	}
	if !ok || !found {
		return exit.Failed(nil)
	}
	return nil
}
