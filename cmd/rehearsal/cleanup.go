package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
)

func newCleanupCommand() *cobra.Command {
	var all bool
	var config string
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "Remove every cluster, registry and volume that killed runs have left",
		Long: `Removes every cluster, registry, container and volume that a run of rehearsal made and could not remove, and
the clusters of run --keep. It recognises them by a record in the user's cache directory, which a run writes before it
makes the cluster, and by the label of the cluster's registry. It touches nothing else, whatever its name.

With --config, it removes what runs made in the existing cluster of a configuration instead: the objects in its
namespace that have the label of a run, and what the operator made for them.

It leaves a cluster that a run is using, and names it. With --all it removes that too.

Exit codes: 0 nothing is left except what is named, 1 something could not be removed, 2 usage.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config != "" {
				return cleanupSite(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), config)
			}
			if err := cleanup(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), all); err != nil {
				return exit.Failed(err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also remove what a run is using; the run fails")
	cmd.Flags().StringVar(&config, "config", "", "configuration `file` whose cluster is cleaned")
	return cmd
}

func cleanup(ctx context.Context, out, errOut io.Writer, all bool) error {
	log := newLogger(errOut)
	cleaned, err := cluster.Cleanup(ctx, cluster.CleanupOptions{All: all, Log: log})
	for _, name := range cleaned.Removed {
		fmt.Fprintln(out, "removed", name)
	}
	for _, skipped := range cleaned.Skipped {
		fmt.Fprintf(out, "left %s: %s (cleanup --all removes it)\n", skipped.Name, skipped.Reason)
	}
	containers, sweepErr := nodeimage.Sweep(ctx, all)
	for _, container := range containers {
		fmt.Fprintln(out, "removed container", container, "of a node image's build")
	}
	if errors.Is(sweepErr, nodeimage.ErrBuilding) {
		fmt.Fprintf(out, "left %v (cleanup --all removes it)\n", sweepErr)
		return err
	}
	if len(cleaned.Removed)+len(cleaned.Skipped)+len(containers) == 0 && err == nil && sweepErr == nil {
		fmt.Fprintln(out, "nothing to remove")
	}
	return errors.Join(err, sweepErr)
}
