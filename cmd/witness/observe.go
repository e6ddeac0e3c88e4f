package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/save"
)

func newObserveCommand() *cobra.Command {
	var claims []string
	command := &cobra.Command{
		Use:   "observe --claim ROLE=DIRECTORY...",
		Short: "Read what volumes hold",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			mounts := map[string]string{}
			for _, argument := range claims {
				role, dir, ok := strings.Cut(argument, "=")
				if !ok || role == "" || dir == "" || mounts[role] != "" {
					return fmt.Errorf("--claim %q: want ROLE=DIRECTORY, each role once", argument)
				}
				mounts[role] = dir
			}
			observation, err := save.Observe(command.Context(), mounts)
			if err != nil {
				return err
			}
			return json.NewEncoder(command.OutOrStdout()).Encode(observation)
		},
	}
	command.Flags().StringArrayVar(&claims, "claim", nil, "a volume by its role and where it is mounted (repeatable); the world is read from "+save.RolePrimary)
	_ = command.MarkFlagRequired("claim") // the flag exists
	return command
}
