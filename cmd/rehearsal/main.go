// Command rehearsal plays an update of a game server through on a restored clone, writes signed receipts of
// what it saw, and decides on them.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/gatecmd"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/keyscmd"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/policycmd"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/witness"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
)

func main() {
	// In the cluster the same program is the witness: its image is made of the program that runs here.
	if filepath.Base(os.Args[0]) == witness.Name {
		os.Exit(witness.Main())
	}
	os.Exit(execute(os.Args[1:]))
}

func execute(args []string) int {
	root := newRootCommand()
	root.SetArgs(args)
	out := &output{Writer: os.Stdout}
	root.SetOut(out)
	err := root.Execute()
	if err == nil {
		err = out.failure()
	}
	if err == nil {
		return 0
	}
	code := exit.CodeUsage // cobra's own errors are about usage
	if own, ok := errors.AsType[exit.Error](err); ok {
		code, err = own.Code, own.Err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rehearsal:", printable.Lines(err.Error()))
	}
	return code
}

// cleansUp cancels the context of a command at a signal, so that it can remove what it made. A signal ends the other
// commands at once.
func cleansUp(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		cmd.SetContext(ctx)
		return run(cmd, args)
	}
	return cmd
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "rehearsal",
		Version: rehearse.Version(),
		Short:   "Rehearse a game server's update on a restored clone, and decide on the signed receipts",
		Long: `Rehearsal plays an update of a game server through beforehand: on real Kubernetes, on a clone
restored from a real backup, with a player that really joins. It leaves signed receipts. Its gate
promotes an update only on those receipts.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: strict.Values,
	}
	root.AddCommand(
		cleansUp(newRunCommand()),
		cleansUp(newCleanupCommand()),
		cleansUp(newNodeimageCommand()),
		cleansUp(newProbeCommand()),
		newTreeHashCommand(),
		keyscmd.New(),
		newVerifyCommand(),
		newInspectCommand(),
		gatecmd.New(),
		newDiffCommand(),
		policycmd.New(),
		newConfigCommand(),
	)
	strict.Builtins(root)
	return root
}
