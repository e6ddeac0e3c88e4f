package policycmd

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/policyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

func newLintCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check policies for errors, and for what their author may not have meant",
		Long: `Checks policies. No gate decides by a policy with an error; lint names all errors in one go. A warning is about what
the author may not have meant, such as games made for tests that count, or keys that expire soon.

Exit codes: 0 no error, 1 an error (with --strict, also a warning), 2 usage, 3 a file cannot be read.`,
		Example: "  rehearsal policy lint policy.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usage("no policy file given")
			}
			return lint(cmd.OutOrStdout(), args, strict)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "take warnings for errors")
	return cmd
}

func lint(out io.Writer, paths []string, strict bool) error {
	ok := true
	for _, path := range paths {
		report, err := policyfile.LintFile(path, time.Now())
		if err != nil {
			return exit.Cannot(err)
		}
		ok = ok && len(report.Errors) == 0 && (!strict || len(report.Warnings) == 0)
		for _, err := range report.Errors {
			fmt.Fprintf(out, "%s: error: %s\n", printable.Line(path), printable.Line(err.Error()))
		}
		for _, warning := range report.Warnings {
			fmt.Fprintf(out, "%s: warning: %s\n", printable.Line(path), printable.Line(warning))
		}
		if len(report.Errors) == 0 {
			fmt.Fprintf(out, "%s: %s\n", printable.Line(path), report.Digest)
		}
	}
	if !ok {
		return exit.Failed(nil)
	}
	return nil
}
