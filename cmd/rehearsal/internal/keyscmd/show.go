package keyscmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

func newShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the id, the algorithm and the public half of keys",
		Long: `Prints the id, the algorithm and the public half of public and private keys.

Exit codes: 0 shown, 2 usage, 3 a file cannot be read or holds no key.`,
		Example: "  rehearsal keys show rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usage("no key file given")
			}
			for _, path := range args {
				key, err := keyfile.PublicHalf(path)
				if err != nil {
					return exit.Cannot(err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n%s", key.ID(), key.Algorithm(), printable.Line(path), key.PEM())
			}
			return nil
		},
	}
}
