package main

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
	"github.com/GameplanePanel/rehearsal/harness/save/tree/treecmd"
)

// newProbeCommand has exit codes of its own: 2 is a server that did not let the player in, so that wrong arguments
// are an internal fault here.
func newProbeCommand() *cobra.Command {
	command := joincmd.New()
	run, args := command.RunE, command.Args
	command.RunE = func(command *cobra.Command, args []string) error { return probeExit(run(command, args)) }
	command.Args = func(command *cobra.Command, given []string) error { return probeExit(args(command, given)) }
	command.PersistentPreRunE = func(command *cobra.Command, args []string) error { return probeExit(wantValues(command, args)) }
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return probeExit(err) })
	return command
}

func probeExit(err error) error {
	code, print := joincmd.AsExit(err)
	switch {
	case code == joincmd.ExitReached:
		return nil
	case print:
		return exitError{code, err}
	}
	return exitError{code, nil}
}

func newTreeHashCommand() *cobra.Command {
	command := treecmd.New()
	command.Long += `

Exit codes: 0 done, and as before where --against is given; 1 different, or something cannot be read; 2 usage.`
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := run(command, args); err != nil {
			return exitError{exitFailed, err}
		}
		return nil
	}
	return command
}
