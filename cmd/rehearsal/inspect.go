package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

func newInspectCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "inspect PATH... [--key FILE]",
		Short: "Show receipts and manifests as pages for people",
		Long: `Shows what a rehearsal saw: claims before and after, joins, checks, phases. With --key it verifies the
signatures. Without, the page says that nobody vouches for it.

Exit codes: 0 shown, 1 something was refused or nothing was found, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal inspect runs/4711/restore-required.amd64.intoto.json --key rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := strict.Paths(args); err != nil {
				return err
			}
			return inspect(cmd, args, keys)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to verify with (repeatable)")
	return cmd
}

func inspect(cmd *cobra.Command, paths, keys []string) error {
	trusted, err := keyfile.Public(keys...)
	if err != nil {
		return exit.Cannot(err)
	}
	source := &rundir.Source{Paths: paths, Stdin: cmd.InOrStdin()}
	ok, found := true, false
	for input := range source.All {
		found = true
		document, err := open(input.Raw, trusted)
		if err != nil {
			ok = false
			report.Refused(cmd.OutOrStdout(), input.Name, err)
			continue
		}
		report.Document(cmd.OutOrStdout(), input.Name, document)
	}
	if err := source.Err(); err != nil {
		return exit.Cannot(err)
	}
	if !found {
		return exit.Failed(errors.New("nothing to inspect: no *.intoto.json was found"))
	}
	if !ok {
		return exit.Failed(nil)
	}
	return nil
}

// open verifies a document where there are keys to verify with.
func open(raw []byte, keys []dsse.Key) (*attestation.Document, error) {
	if len(keys) == 0 {
		return attestation.ReadUnverified(raw)
	}
	return attestation.Open(raw, keys, 1)
}
