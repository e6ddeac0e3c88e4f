// Package policycmd is the command "rehearsal policy".
package policycmd

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
)

// New returns the command.
func New() *cobra.Command {
	return strict.Group(&cobra.Command{
		Use:   "policy",
		Short: "Check the gate's policies, and sign overrides of them",
	}, newLintCommand(), newOverrideCommand())
}
