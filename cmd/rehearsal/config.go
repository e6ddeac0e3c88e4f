package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

func newConfigCommand() *cobra.Command {
	return strict.Group(&cobra.Command{
		Use:   "config",
		Short: "Begin, check and explain run configurations",
	}, newConfigInitCommand(), newConfigLintCommand(), newConfigExplainCommand())
}

func newConfigInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented configuration to begin with",
		Long: `Writes a commented configuration with REPLACE_ME for each value that you must give. The file is
update.yaml, or the one that you name. The command leaves a file that exists as it is.

Exit codes: 0 written, 1 the file exists, 2 usage, 3 the file cannot be written.`,
		Example: "  rehearsal config init update.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "update.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			switch err := atomicfile.WriteNew(path, runconfig.Example(), 0o644); {
			case errors.Is(err, fs.ErrExist):
				return exit.Failed(err)
			case err != nil:
				return exit.Cannot(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s  replace each REPLACE_ME, then run rehearsal config lint %[1]s\n", printable.Line(path))
			return nil
		},
	}
}
