// Package treecmd is the command line of package tree, for the programs that offer it.
package treecmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/save/tree"
)

// maxManifest bounds, in bytes, the manifest that --against reads.
const maxManifest = 1 << 30

// New returns the tree-hash command.
func New() *cobra.Command {
	c := &treeHash{}
	command := &cobra.Command{
		Use:   "tree-hash DIRECTORY",
		Short: "Print a digest of a directory's contents",
		Long: `Prints one digest over the names, kinds, sizes and contents of everything in a directory. It does not follow
links, and ignores owners, modes and times. It leaves out only what --exclude names.

With --against, it also compares the directory with a manifest that --json printed earlier, and names the paths that
differ.`,
		Args:          cobra.ExactArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(command *cobra.Command, args []string) error { return c.run(command, args[0]) },
	}
	flags := command.Flags()
	flags.StringArrayVar(&c.exclude, "exclude", nil, "pattern of paths to leave out, such as world/session.lock (repeatable; changes the digest)")
	flags.BoolVar(&c.asJSON, "json", false, "print the whole manifest as JSON")
	flags.BoolVar(&c.list, "list", false, "also print every entry")
	flags.StringVar(&c.against, "against", "", "manifest (JSON) to compare with")
	command.MarkFlagsMutuallyExclusive("json", "list")
	return command
}

type treeHash struct {
	exclude []string
	asJSON  bool
	list    bool
	against string
}

func (c *treeHash) run(command *cobra.Command, dir string) error {
	manifest, err := tree.Hash(command.Context(), dir, c.exclude...)
	if err != nil {
		return err
	}
	if err := c.print(command.OutOrStdout(), manifest); err != nil {
		return err
	}
	if c.against == "" {
		return nil
	}
	before, err := readManifest(c.against)
	if err != nil {
		return err
	}
	return tree.Compare(before, manifest)
}

func (c *treeHash) print(out io.Writer, manifest tree.Manifest) error {
	if c.asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(manifest)
	}
	if c.list {
		for _, e := range manifest.Entries {
			if _, err := fmt.Fprintf(out, "%-5s %12d %-64s %q\n", e.Kind, e.Size, e.SHA256, e.Path); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(out, "%s  %d files, %d bytes\n", manifest.Digest, manifest.Files, manifest.Bytes)
	return err
}

func readManifest(path string) (tree.Manifest, error) {
	file, err := os.Open(path)
	if err != nil {
		return tree.Manifest{}, err
	}
	defer file.Close()
	var manifest tree.Manifest
	decoder := json.NewDecoder(io.LimitReader(file, maxManifest))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&manifest)
	if err == nil && decoder.More() {
		err = errors.New("data after the manifest")
	}
	if err == nil {
		err = manifest.Check()
	}
	if err != nil {
		return tree.Manifest{}, fmt.Errorf("manifest %s: %w: want the output of tree-hash --json", path, err)
	}
	return manifest, nil
}
