package keyscmd

import (
	"crypto"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

func newCountersignCommand() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "countersign PATH... --key FILE",
		Short: "Add a signature to signed documents, for policies that want several keys",
		Long: `Adds a signature to signed documents: files, or directories with *.intoto.json. Give it the whole run, so that it
signs the manifest as well. It leaves overrides as they are, and documents that the key has signed already.

It does not verify the documents. Do that first, with "rehearsal verify" and the keys of those who signed before.
Whoever signs vouches for what the document says.

Exit codes: 0 each document bears the signature, except overrides; 1 something is no signed document; 2 usage; 3 something cannot be read or written.`,
		Example: "  rehearsal verify runs/4711 --key rehearsal.pub && rehearsal keys countersign runs/4711 --key second.key",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usage("no path given: name files, or directories with *.intoto.json")
			}
			if key == "" {
				return exit.Usage("no key given: name the private key with --key")
			}
			signer, err := keyfile.Private(key)
			if err != nil {
				return exit.Cannot(err)
			}
			return countersign(cmd.OutOrStdout(), args, signer)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "private key `file` to sign with")
	return cmd
}

func countersign(out io.Writer, paths []string, signer crypto.Signer) error {
	count := 0
	for _, path := range paths {
		files, err := rundir.Files(path)
		if err != nil {
			return exit.Cannot(err)
		}
		for _, name := range files {
			signed, err := rundir.Countersign(name, signer)
			switch {
			case errors.Is(err, rundir.ErrUnsignable):
				return exit.Failed(err)
			case err != nil:
				return exit.Cannot(err)
			}
			word := "left"
			if signed {
				word = "signed"
			}
			fmt.Fprintf(out, "%-6s  %s\n", word, printable.Line(name))
			count++
		}
	}
	if count == 0 {
		return exit.Failed(errors.New("nothing to sign: no *.intoto.json was found"))
	}
	return nil
}
