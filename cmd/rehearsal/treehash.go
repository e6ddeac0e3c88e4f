package main

import (
	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/save/tree/treecmd"
)

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
