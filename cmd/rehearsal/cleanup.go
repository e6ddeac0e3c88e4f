package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/cluster"
)

func newCleanupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cleanup",
		Short: "Remove every cluster, registry and volume that killed runs have left",
		Long: `Remove every cluster, registry, container and volume that a run of rehearsal has made and could not
remove, and clusters kept with --keep. They are recognised by label; nothing else is touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			removed, err := cluster.Cleanup(cmd.Context(), newLogger(cmd.ErrOrStderr()))
			for _, what := range removed {
				fmt.Fprintln(cmd.OutOrStdout(), "removed", what)
			}
			if err != nil {
				return exitError{exitFailed, err}
			}
			if len(removed) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "nothing to remove")
			}
			return nil
		},
	}
}
