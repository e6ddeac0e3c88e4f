package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

func newVerifyCommand() *cobra.Command {
	var keys []string
	var threshold int
	cmd := &cobra.Command{
		Use:   "verify PATH... --key FILE",
		Short: "Check the signatures of receipts and manifests, and that each says what its observations show",
		Long: `Verifies signed documents: files, directories with *.intoto.json, or - for envelopes on standard input,
one a line. Each must be signed by a given key, and a receipt's verdict is derived anew from its observations.
A manifest's receipts must all be there and be those of its cells, a receipt must be named by the manifest of its run
where one is given, and the rollout journal beside a receipt must hold what the receipt says of it, and rest on the
receipt from there on.
Age, policy and candidate are not looked at: that is the gate's.

Exit codes: 0 all verified, 1 something was refused or is missing, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal verify runs/4711 --key rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantPaths(args); err != nil {
				return err
			}
			if threshold < 1 {
				return usageError("--threshold %d: at least one key must have signed", threshold)
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

// verifyAll prints a line for each document, and for all that is missing or does not belong together.
func verifyAll(out io.Writer, inputs *signedInputs, keys []dsse.Key, threshold int) bool {
	v := verification{
		out: out, ok: true,
		receipts: make(map[string]verifiedReceipt), named: make(map[[2]string]bool), cells: make(map[[3]string]string),
	}
	count := 0
	for input := range inputs.All {
		count++
		v.input(input, inputs.beside, keys, threshold)
	}
	if inputs.Err() != nil {
		return false
	}
	if count == 0 {
		fmt.Fprintln(out, "nothing to verify: no *.intoto.json was found")
		return false
	}
	for _, m := range v.manifests {
		v.manifest(m)
	}
	v.strays()
	return v.ok
}

// verification is what is kept of the documents until all were read.
type verification struct {
	out       io.Writer
	ok        bool
	manifests []verifiedManifest
	receipts  map[string]verifiedReceipt // by digest
	order     []string                   // digests of the receipts, as they came
	named     map[[2]string]bool         // run and receipt, as manifests of that run name them
	cells     map[[3]string]string       // run, architecture and scenario to receipt, as manifests say
}

func (v *verification) say(word, name, format string, args ...any) {
	fmt.Fprintf(v.out, "%-8s  %s  %s\n", word, printable(name), printable(fmt.Sprintf(format, args...)))
}

func (v *verification) refuse(name, format string, args ...any) {
	v.ok = false
	v.say("REFUSED", name, format, args...)
}

func (v *verification) missing(name, format string, args ...any) {
	v.ok = false
	v.say("MISSING", name, format, args...)
}

// input looks at one document. beside is the directory that it is in, "" where it is in none.
func (v *verification) input(input gate.Input, beside string, keys []dsse.Key, threshold int) {
	document, err := attestation.Open(input.Raw, keys, threshold)
	switch {
	case err != nil:
		v.refuse(input.Name, "%v", err)
		return
	case document.Manifest != nil: // whether it holds is known when the receipts are
		v.manifests = append(v.manifests, verifiedManifest{input.Name, summary(document), document.Manifest})
		return
	}
	v.say("verified", input.Name, "%s", summary(document))
	if document.Receipt == nil {
		return
	}
	if _, twice := v.receipts[document.Digest]; !twice {
		v.order = append(v.order, document.Digest)
		v.receipts[document.Digest] = verifiedReceipt{input.Name, document.Receipt.Header()}
	}
	if beside != "" {
		v.journal(input.Name, beside, document)
	}
}

func summary(d *attestation.Document) string {
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
