package main

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
	"github.com/GameplanePanel/rehearsal/harness/save/tree/treecmd"
)

func newProbeCommand() *cobra.Command {
	command := joincmd.New()
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		err := run(command, args)
		code, print := joincmd.AsExit(err)
		switch {
		case code == joincmd.ExitReached:
			return nil
		case print:
			return exitError{code, err}
		}
		return exitError{code, nil}
	}
	return command
}

func newTreeHashCommand() *cobra.Command { return treecmd.New() }
