package witness

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
)

const maxValue = 256

func newMarkCommand() *cobra.Command {
	var files []string
	var value string
	command := &cobra.Command{
		Use:   "mark --value VALUE --file PATH...",
		Short: "Write marker files",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if value == "" || len(value) > maxValue || strings.ContainsAny(value, "\r\n") {
				return fmt.Errorf("--value %.80q: want one line of 1 to %d bytes", value, maxValue)
			}
			for _, file := range files {
				if err := atomicfile.Write(file, []byte(value+"\n")); err != nil {
					return err
				}
			}
			return nil
		},
	}
	command.Flags().StringArrayVar(&files, "file", nil, "file to write (repeatable)")
	command.Flags().StringVar(&value, "value", "", "content of the files")
	_ = command.MarkFlagRequired("file") // the flags exist
	_ = command.MarkFlagRequired("value")
	return command
}
