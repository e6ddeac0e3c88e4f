// Command witness is the harness's program inside the cluster: it joins servers, and reads and marks volumes. It knows
// nothing of Kubernetes, and prints JSON.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
	"github.com/GameplanePanel/rehearsal/harness/save/tree/treecmd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newRoot().ExecuteContext(ctx)
	code, print := joincmd.AsExit(err)
	if print {
		fmt.Fprintf(os.Stderr, "witness: %v\n", err)
	}
	stop()
	os.Exit(code)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "witness",
		Short:         "Observe servers and volumes from inside the cluster",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(joincmd.New(), treecmd.New(), newObserveCommand(), newMarkCommand(), newHoldCommand())
	return root
}

// newHoldCommand keeps a pod running, so that the harness can run commands in it.
func newHoldCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hold",
		Short: "Wait for SIGTERM",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			<-command.Context().Done()
			return nil
		},
	}
}
