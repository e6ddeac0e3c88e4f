package main

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/strict"
	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
	"github.com/GameplanePanel/rehearsal/harness/save/tree/treecmd"
)

// newProbeCommand has different exit codes: 2 is a server that did not let the player in, so wrong arguments are 1.
func newProbeCommand() *cobra.Command {
	command := joincmd.New()
	run, args := command.RunE, command.Args
	command.RunE = func(command *cobra.Command, args []string) error { return probeExit(run(command, args)) }
	command.Args = func(command *cobra.Command, given []string) error { return probeExit(args(command, given)) }
	command.PersistentPreRunE = func(command *cobra.Command, args []string) error { return probeExit(strict.Values(command, args)) }
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return probeExit(err) })
	return command
}

func probeExit(err error) error {
	code, print := joincmd.AsExit(err)
	switch {
	case code == joincmd.ExitReached:
		return nil
	case print:
		return exit.Error{Code: code, Err: err}
	}
	return exit.Error{Code: code}
}

func newTreeHashCommand() *cobra.Command {
	command := treecmd.New()
	command.Long += `

Exit codes: 0 done, and nothing differs where --against is given; 1 something differs or cannot be read; 2 usage.`
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := run(command, args); err != nil {
			return exit.Failed(err)
		}
		return nil
	}
	return command
}
