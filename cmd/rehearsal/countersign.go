package main

import (
	"crypto"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

func newCountersignCommand() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "countersign PATH... --key FILE",
		Short: "Add a signature to signed documents, for policies that want several keys",
		Long: `Adds a signature to signed documents: files, or directories with *.intoto.json. Give it the whole run, so that the
manifest is signed as well. A document that the key has signed already is left as it is, and so is an override.

What is there is not verified: do that first, with "rehearsal verify" and the keys of those who signed before. A
signature says that its owner stands for what the document says.

Exit codes: 0 each bears the signature (but for overrides), 1 something is no signed document, 2 usage, 3 something cannot be read or written.`,
		Example: "  rehearsal verify runs/4711 --key rehearsal.pub && rehearsal keys countersign runs/4711 --key second.key",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no path given: name files, or directories with *.intoto.json")
			}
			if key == "" {
				return usageError("no key given: name the private key with --key")
			}
			signer, err := readSigner(key)
			if err != nil {
				return cannot(err)
			}
			return countersignAll(cmd.OutOrStdout(), args, signer)
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "private key `file` to sign with")
	return cmd
}

func countersignAll(out io.Writer, paths []string, signer crypto.Signer) error {
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return cannot(err)
	}
	count := 0
	for _, path := range paths {
		files, err := rundir.Files(path)
		if err != nil {
			return cannot(unwrapPath(err))
		}
		for _, name := range files {
			word, err := countersign(name, key, signer)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%-6s  %s\n", word, printable(name))
			count++
		}
	}
	if count == 0 {
		return exitError{exitFailed, errors.New("nothing to sign: no *.intoto.json was found")}
	}
	return nil
}

// countersign signs one file, and says in a word what it did.
func countersign(name string, key dsse.Key, signer crypto.Signer) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", cannot(unwrapPath(err))
	}
	if !info.Mode().IsRegular() {
		return "", exitError{exitFailed, fmt.Errorf("%s is not a regular file: it is left as it is", name)}
	}
	raw, err := readEnvelope(name)
	if err != nil {
		return "", cannot(unwrapPath(err))
	}
	document, err := attestation.ReadUnverified(raw)
	if err != nil { // a signature under what somebody else wrote may be taken for anything
		return "", exitError{exitFailed, fmt.Errorf("%s: %w", name, err)}
	}
	if document.Override != nil { // of which one key is enough, and must be of another kind
		return "left", nil
	}
	if _, err := attestation.Open(raw, []dsse.Key{key}, 1); err == nil {
		return "left", nil
	}
	if raw, err = dsse.Countersign(raw, signer); err != nil {
		return "", exitError{exitFailed, fmt.Errorf("%s: %w", name, err)}
	}
	if err := atomicfile.WriteMode(name, raw, info.Mode().Perm()); err != nil {
		return "", cannot(unwrapPath(err))
	}
	return "signed", nil
}
