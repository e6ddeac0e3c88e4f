// Package witness is what the harness runs inside the cluster: it joins servers from there, reads and marks volumes,
// serves a restic repository, and stands in for a bad image. It knows nothing of Kubernetes, and prints JSON.
package witness

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

// Name is the name of the program in its image. A binary that is started by this name runs Main.
const Name = "witness"

// Main runs the command line of the process and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := New().ExecuteContext(ctx)
	code, print := joincmd.AsExit(err)
	if print {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Name, err)
	}
	return code
}

// New returns the command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:           Name,
		Short:         "See what servers and volumes hold, from inside the cluster",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(joincmd.New(), treecmd.New(), newObserveCommand(), newMarkCommand(), newHoldCommand(),
		newHTTPOnlyCommand(), newRepositoryCommand())
	return root
}

// newHoldCommand keeps a pod up, so that commands can be run in it.
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
