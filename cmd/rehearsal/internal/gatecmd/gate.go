// Package gatecmd is the command "rehearsal gate".
package gatecmd

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

// New returns the command.
func New() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "gate PATH... --policy FILE --key FILE --candidate DIGEST",
		Short: "Decide on signed receipts whether a candidate may be promoted",
		Long: `Decides whether a candidate may be promoted, on the receipts and manifests of its rehearsals. A path is a file,
a directory with *.intoto.json, or - for standard input with one envelope a line. The gate denies by default:
documents that a trusted key signed must meet every demand of the policy. It fetches nothing.

Exit codes: 0 promote, 1 hold, 2 usage, 3 cannot evaluate.`,
		Example: "  rehearsal gate runs/4711 --policy policy.yaml --key rehearsal.pub --candidate sha256:…",
		// run refuses empty flags, after it has removed an earlier summary.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.addTo(cmd)
	return cmd
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	// First of all: nobody may take an earlier summary for the one of this decision, whatever fails below.
	if err := f.removeSummary(args); err != nil {
		return err
	}
	if err := strict.Values(cmd, args); err != nil {
		return err
	}
	if err := strict.Paths(args); err != nil {
		return err
	}
	now, err := f.check()
	if err != nil {
		return err
	}
	decision, err := f.decide(cmd.InOrStdin(), args, now)
	if err != nil {
		return exit.Cannot(err)
	}
	if f.vsa != "" {
		if err := f.writeSummary(decision); err != nil {
			return exit.Cannot(fmt.Errorf("verification summary: %w", err))
		}
	}
	if err := f.print(cmd.OutOrStdout(), decision); err != nil {
		return exit.Error{Code: exit.CodeCannot, Err: err}
	}
	if !decision.Promote {
		return exit.Failed(nil)
	}
	return nil
}

func (f *flags) print(out io.Writer, d gate.Decision) error {
	if f.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	report.Decision(out, d, f.at != "")
	if f.explain {
		report.Explanation(out, d)
	}
	return nil
}
