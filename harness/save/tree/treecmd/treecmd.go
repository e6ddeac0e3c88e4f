// Package treecmd is the command-line form of package tree, for the programs that offer it.
package treecmd

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

// New returns the tree-hash command.
func New() *cobra.Command {
	var (
		exclude []string
		asJSON  bool
		list    bool
	)
	command := &cobra.Command{
		Use:   "tree-hash DIRECTORY",
		Short: "Print a digest of what a directory holds",
		Long: `Print one digest over the names, kinds, sizes and contents of all that a directory holds. Links are
not followed; owners, modes and times do not count. Nothing is left out but what --exclude names.`,
		Args:          cobra.ExactArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, args []string) error {
			manifest, err := tree.Hash(command.Context(), args[0], exclude...)
			if err != nil {
				return err
			}
			if asJSON {
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(manifest)
			}
			return printText(command.OutOrStdout(), manifest, list)
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&exclude, "exclude", nil, "pattern of paths to leave out, such as world/session.lock (repeatable; counts in the digest)")
	flags.BoolVar(&asJSON, "json", false, "print the whole manifest as JSON")
	flags.BoolVar(&list, "list", false, "print every entry too")
	return command
}

func printText(out io.Writer, manifest tree.Manifest, list bool) error {
	if list {
		for _, e := range manifest.Entries {
			if _, err := fmt.Fprintf(out, "%-5s %12d %-64s %q\n", e.Kind, e.Size, e.SHA256, e.Path); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(out, "%s  %d files, %d bytes\n", manifest.Digest, manifest.Files, manifest.Bytes)
	return err
}
