// Package strict makes commands refuse what they do not know.
package strict

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
)

// Group makes a command of subcommands alone: without one it prints its help, and it refuses a misspelt one.
func Group(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, subcommand := range cmd.Commands() {
			names = append(names, subcommand.Name())
		}
		return exit.Usage("%s: no command %q: want %s", cmd.CommandPath(), args[0], strings.Join(names, " or "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// Builtins does the same for the commands that cobra adds. By themselves they print their help for a misspelt command, and
// succeed.
func Builtins(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			Group(cmd)
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return exit.Usage("rehearsal help: no command %q", strings.Join(args, " "))
				}
				return nil
			}
		}
	}
}

// Values refuses flags with an empty value: an unset variable must not turn a demand off.
func Values(cmd *cobra.Command, _ []string) error {
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
		return exit.Usage("%s: empty: give a value, or leave it out (is a variable not set?)", strings.Join(empty, ", "))
	}
	return nil
}

// Paths refuses a command line without paths.
func Paths(args []string) error {
	if len(args) == 0 {
		return exit.Usage("no path given: name files, directories with *.intoto.json, or - for standard input")
	}
	return nil
}
