// Command rehearsal plays an update of a game server through on a restored clone, writes signed receipts of
// what it saw, and decides on them.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/witness"
)

// Exit codes that scripts may rely on. Verbs with codes of their own (gate, probe) name them in their help.
const (
	exitFailed = 1 // the work was done and the answer is no
	exitUsage  = 2 // wrong flags or arguments
)

// exitError carries the exit code that a verb wants for its error.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

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
	// A verb whose output already says all there is to say returns a nil inner error.
	if exit, ok := errors.AsType[exitError](err); ok {
		if exit.err != nil {
			fmt.Fprintln(os.Stderr, "rehearsal:", printableLines(exit.err.Error()))
		}
		return exit.code
	}
	fmt.Fprintln(os.Stderr, "rehearsal:", printableLines(err.Error()))
	return exitUsage
}

// output remembers that something could not be written: an answer that nobody got is no success.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return exitError{exitCannot, fmt.Errorf("standard output: %w", o.err)}
}

// cleansUp lets a command that has something to remove be told to stop by its context. The others end where a signal
// finds them, as programs do.
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

// group makes a command of its subcommands alone: without one it prints its help, and a misspelt one is no success.
func group(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, subcommand := range cmd.Commands() {
			names = append(names, subcommand.Name())
		}
		return usageError("%s: no command %q: want %s", cmd.CommandPath(), args[0], strings.Join(names, " or "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// strictBuiltins lets the commands that cobra adds refuse what they do not know; by themselves they print their help and
// call it a success.
func strictBuiltins(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			group(cmd)
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usageError("rehearsal help: no command %q", strings.Join(args, " "))
				}
				return nil
			}
		}
	}
}

// wantValues refuses flags that are given as nothing: a variable that is not set must not turn a demand off.
func wantValues(cmd *cobra.Command, _ []string) error {
	var empty []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		if slices.Contains(values, "") {
			empty = append(empty, "--"+flag.Name)
		}
	})
	if len(empty) > 0 {
		return usageError("%s: empty: give a value, or leave it out (is a variable not set?)", strings.Join(empty, ", "))
	}
	return nil
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "rehearsal",
		Version: rehearse.Version(),
		Short:   "Rehearse a game server's update on a restored clone, and decide on the signed receipts",
		Long: `Rehearsal plays an update of a game server through beforehand: on real Kubernetes, on a clone
restored from a real backup, with a player that really joins. It leaves signed receipts, and a
gate that promotes an update only on those receipts.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: wantValues,
	}
	root.AddCommand(
		cleansUp(newRunCommand()),
		cleansUp(newCleanupCommand()),
		cleansUp(newNodeimageCommand()),
		cleansUp(newProbeCommand()),
		newTreeHashCommand(),
		newKeysCommand(),
		newVerifyCommand(),
		newInspectCommand(),
		newGateCommand(),
		newDiffCommand(),
		newPolicyCommand(),
		newConfigCommand(),
	)
	strictBuiltins(root)
	return root
}
