package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

func newConfigLintCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check configurations: mistakes that stop a run, and what their author may not have meant",
		Long: `Checks configurations, and names every mistake with its line and column. A mistake stops a run. A
warning is what the author may not have meant, such as a tag instead of a digest. The check reads the
files alone: it asks no cluster and no registry.

Exit codes: 0 no mistake, 1 a mistake (with --strict, also a warning), 2 usage, 3 a file cannot be read.`,
		Example: "  rehearsal config lint update.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usage("no configuration file given")
			}
			return lintConfigs(cmd.OutOrStdout(), args, strict)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "treat warnings as mistakes")
	return cmd
}

// lintConfigs checks all files, also after one that cannot be read.
func lintConfigs(out io.Writer, paths []string, strict bool) error {
	fine := true
	var unread []error
	for _, path := range paths {
		text, err := runconfig.Read(path)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		warnings, err := runconfig.Lint(path, text)
		if err != nil {
			fine = false
			fmt.Fprintln(out, printable.Lines(err.Error()))
			continue
		}
		for _, warning := range warnings {
			fmt.Fprintln(out, printable.Line(warning.Warning()))
		}
		fine = fine && (!strict || len(warnings) == 0)
		fmt.Fprintf(out, "%s: no mistakes\n", printable.Line(path))
	}
	if len(unread) > 0 {
		return exit.Cannot(errors.Join(unread...))
	}
	if !fine {
		return exit.Failed(nil)
	}
	return nil
}
