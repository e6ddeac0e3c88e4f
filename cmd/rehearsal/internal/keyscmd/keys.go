// Package keyscmd is the command "rehearsal keys".
package keyscmd

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
)

// New returns the command.
func New() *cobra.Command {
	return strict.Group(&cobra.Command{
		Use:   "keys",
		Short: "Make, show and use the keys that sign receipts",
	}, newGenerateCommand(), newShowCommand(), newCountersignCommand())
}
