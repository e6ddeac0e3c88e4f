package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
)

func newConfigExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [KEY]",
		Short: "Print the documentation of a key and the keys below it, or of all keys",
		Long: `Prints the type, the default and the description of a key and of the keys below it. Without a key, it
prints all of them.

Exit codes: 0 printed, 2 usage, or no such key.`,
		Example: "  rehearsal config explain candidates.image",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys := runconfig.Keys()
			if len(args) == 1 {
				key, err := runconfig.Explain(args[0])
				if err != nil {
					return exit.Usage("%w", err)
				}
				keys = append([]runconfig.Key{key}, key.Below()...)
			}
			for _, key := range keys {
				fmt.Fprint(cmd.OutOrStdout(), key)
			}
			return nil
		},
	}
}
