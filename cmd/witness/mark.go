package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/save/atomicfile"
)

const maxValue = 256

func newMarkCommand() *cobra.Command {
	var file, value string
	command := &cobra.Command{
		Use:   "mark --file PATH --value VALUE",
		Short: "Write a marker file",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if value == "" || len(value) > maxValue || strings.ContainsAny(value, "\r\n") {
				return fmt.Errorf("--value %.80q: want one line of 1 to %d bytes", value, maxValue)
			}
			return atomicfile.Write(file, []byte(value+"\n"))
		},
	}
	command.Flags().StringVar(&file, "file", "", "file to write")
	command.Flags().StringVar(&value, "value", "", "what to write into it")
	_ = command.MarkFlagRequired("file") // the flags exist
	_ = command.MarkFlagRequired("value")
	return command
}
