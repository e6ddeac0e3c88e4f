package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts"
)

func newVerifyCommand() *cobra.Command {
	var keys []string
	var threshold int
	cmd := &cobra.Command{
		Use:   "verify PATH... --key FILE",
		Short: "Check the signatures of receipts and manifests, and that each says what its observations show",
		Long: `Verifies signed documents: files, directories with *.intoto.json, or - for envelopes on standard input,
one a line. Each must be signed by a given key, and a receipt's verdict is derived anew from its observations.
A manifest's receipts must all be there, and the rollout journal beside a receipt must hold what the receipt says of it.
Age, policy and candidate are not looked at: that is the gate's.

Exit codes: 0 all verified, 1 something was refused or is missing, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal verify runs/4711 --key rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantPaths(args); err != nil {
				return err
			}
			if len(keys) == 0 {
				return usageError("no key given: name the signer's public key with --key")
			}
			trusted, err := readKeys(keys)
			if err != nil {
				return cannot(err)
			}
			inputs := &signedInputs{paths: args, stdin: cmd.InOrStdin()}
			ok := verifyAll(cmd.OutOrStdout(), inputs, trusted, threshold)
			if err := inputs.Err(); err != nil {
				return cannot(err)
			}
			if !ok {
				return exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to trust (repeatable)")
	cmd.Flags().IntVar(&threshold, "threshold", 1, "distinct keys that must have signed")
	return cmd
}

// verifyAll prints a line for each document, and for each receipt that a manifest misses.
func verifyAll(out io.Writer, inputs *signedInputs, keys []receipts.Key, threshold int) bool {
	ok, count := true, 0
	seen := make(map[string]bool)
	wanted := make(map[string]string) // digest to file
	for input := range inputs.All {
		count++
		document, err := receipts.Open(input.Raw, keys, threshold)
		if err != nil {
			ok = false
			fmt.Fprintf(out, "REFUSED   %s  %s\n", printable(input.Name), printable(err.Error()))
			continue
		}
		seen[document.Digest] = true
		fmt.Fprintf(out, "verified  %s  %s\n", printable(input.Name), summary(document))
		if document.Manifest != nil {
			for _, cell := range document.Manifest.Cells {
				wanted[cell.Receipt] = cell.File
			}
		}
		if document.Receipt != nil {
			ok = verifyJournal(out, input.Name, document.Receipt) && ok
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(wanted)) {
		if !seen[digest] {
			ok = false
			fmt.Fprintf(out, "MISSING   %s  %s is named by a manifest\n", printable(wanted[digest]), digest)
		}
	}
	if count == 0 && inputs.Err() == nil {
		fmt.Fprintln(out, "nothing to verify: no *.intoto.json was found")
		return false
	}
	return ok
}

// verifyJournal looks for the rollout journal beside a receipt. It may have grown since the receipt was written, but what
// it held then must still be there.
func verifyJournal(out io.Writer, name string, r *receipts.Receipt) bool {
	path := filepath.Join(filepath.Dir(name), receipts.JournalFile(r.Run.Scenario, r.Environment.Architecture))
	file, err := os.Open(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist) // a receipt alone can be verified as well
	}
	defer file.Close() //nolint:errcheck // nothing was written
	entries, state, cut, err := receipts.ReadJournal(file)
	if err == nil && !holds(entries, state, r.Journal) {
		err = fmt.Errorf("it does not hold the %d entries that the receipt saw", r.Journal.Entries)
	}
	if err != nil {
		fmt.Fprintf(out, "REFUSED   %s  %s\n", printable(path), printable(err.Error()))
		return false
	}
	fmt.Fprintf(out, "verified  %s  journal of %d entries%s\n", printable(path), state.Entries, unfinished(cut))
	return true
}

// holds says whether a journal begins with what was seen of it.
func holds(entries []receipts.Entry, state, seen receipts.JournalState) bool {
	if seen.Entries == state.Entries {
		return seen.Head == state.Head
	}
	return seen.Entries >= 0 && seen.Entries < len(entries) && entries[seen.Entries].Previous == seen.Head
}

func unfinished(cut *receipts.Cut) string {
	if cut == nil {
		return ""
	}
	return fmt.Sprintf(", and an unfinished line of %d bytes at byte %d", len(cut.Line), cut.Offset)
}

func summary(d *receipts.Document) string {
	switch {
	case d.Receipt != nil:
		return fmt.Sprintf("receipt of %s on %s: %s, %s", printable(d.Receipt.Run.Scenario),
			printable(d.Receipt.Environment.Architecture), d.Receipt.Verdict, d.Receipt.Disposition)
	case d.Manifest != nil:
		return fmt.Sprintf("manifest of run %s: %d receipts", printable(d.Manifest.Run), len(d.Manifest.Cells))
	case d.Override != nil:
		return fmt.Sprintf("override by %s until %s", printable(d.Override.By), clock(d.Override.ExpiresAt))
	case d.Result != nil:
		return "test result: " + printable(d.Result.Result)
	case d.Summary != nil:
		return "verification summary: " + printable(d.Summary.VerificationResult)
	}
	return d.Kind
}
