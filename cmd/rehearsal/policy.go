package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func newPolicyCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "policy",
		Short: "Check the gate's policies, and sign overrides of them",
	}, newPolicyLintCommand(), newPolicyOverrideCommand())
}

func newPolicyLintCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "lint FILE...",
		Short: "Check policies: errors that a gate would stop at, and what their author may not have meant",
		Long: `Checks policies. An error is what no gate could decide by; a warning is what the author may not have meant,
such as games made for tests that count, or keys that expire soon.

Exit codes: 0 no error, 1 an error (with --strict, also a warning), 2 usage, 3 a file cannot be read.`,
		Example: "  rehearsal policy lint policy.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("no policy file given")
			}
			return lintPolicies(cmd.OutOrStdout(), args, strict)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "take warnings for errors")
	return cmd
}

func lintPolicies(out io.Writer, paths []string, strict bool) error {
	ok := true
	for _, path := range paths {
		text, err := readPolicyText(path)
		if err != nil {
			return cannot(err)
		}
		policy, written, err := parseWritten(text)
		if err != nil {
			ok = false
			fmt.Fprintf(out, "%s: error: %s\n", printable(path), printable(err.Error()))
			continue
		}
		for _, warning := range append(policy.Warnings(time.Now()), written.warnings(policy)...) {
			ok = ok && !strict
			fmt.Fprintf(out, "%s: warning: %s\n", printable(path), printable(warning))
		}
		fmt.Fprintf(out, "%s: %s\n", printable(path), policy.Digest())
	}
	if !ok {
		return exitError{code: exitFailed}
	}
	return nil
}

// readPolicy reads a policy in YAML, of which JSON is a part.
func readPolicy(path string) (gate.Policy, error) {
	text, err := readPolicyText(path)
	if err != nil {
		return gate.Policy{}, err
	}
	policy, _, err := parseWritten(text)
	if err != nil {
		return gate.Policy{}, fmt.Errorf("%s: %w", path, err)
	}
	return policy, nil
}

// readPolicyText reads no more than one byte above the limit, at which parseWritten refuses it.
func readPolicyText(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unwrapPath(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, gate.MaxPolicy+1))
	if err != nil {
		return nil, unwrapPath(err)
	}
	return text, nil
}

// overrideOptions are the flags of an override.
type overrideOptions struct {
	override statement.Override
	waive    []string
	lasts    time.Duration
	key      string
	out      string
}

func newPolicyOverrideCommand() *cobra.Command {
	var o overrideOptions
	var waivable []string
	for _, code := range statement.Waivable() {
		waivable = append(waivable, string(code))
	}
	cmd := &cobra.Command{
		Use:   "override --candidate DIGEST --waive CODE --by NAME --reason TEXT --key FILE --out FILE",
		Short: "Sign an override: let the gate pass over demands of its policy for one candidate, for a time",
		Long: `Signs an override, to be given to the gate beside the receipts. The key must be one of the policy's
overrideKeys. These codes can be waived: ` + strings.Join(waivable, ", ") + `.
Evidence that is missing, failed, forged or against the candidate cannot.

Exit codes: 0 written, 1 the file exists, 2 usage, 3 a file cannot be read or written.`,
		Example: `  rehearsal policy override --candidate sha256:… --waive disposition-not-allowed --by "Ada" \
    --reason "restore tried by hand, ticket 42" --key override.key --out override.intoto.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.override.Candidate, "candidate", "", "image `digest` that it is for, or a reference with @digest")
	flags.StringSliceVar(&o.waive, "waive", nil, "`code` to waive (repeatable)")
	flags.StringVar(&o.override.By, "by", "", "`name` of who answers for it")
	flags.StringVar(&o.override.Reason, "reason", "", "`text` that says why")
	flags.StringVar(&o.override.Policy, "for-policy", "", "`digest` of the only policy that it is for (see policy lint)")
	flags.DurationVar(&o.lasts, "lasts", 24*time.Hour, "time until it expires, at most "+statement.MaxOverride.String())
	flags.StringVar(&o.key, "key", "", "private key `file` to sign with")
	flags.StringVar(&o.out, "out", "", "`file` to write, such as override.intoto.json")
	return cmd
}

func (o *overrideOptions) run(out io.Writer) error {
	if o.key == "" || o.out == "" {
		return usageError("--key and --out are needed: what to sign with, and where to write")
	}
	o.override.Candidate = digestOnly(o.override.Candidate)
	for _, code := range o.waive {
		o.override.Waives = append(o.override.Waives, refusal.Code(code))
	}
	o.override.IssuedAt = time.Now().UTC().Truncate(time.Second)
	o.override.ExpiresAt = o.override.IssuedAt.Add(o.lasts)
	signer, err := readSigner(o.key)
	if err != nil {
		return cannot(err)
	}
	raw, digest, err := attestation.SignOverride(o.override, signer)
	if err != nil {
		return exitError{exitUsage, err}
	}
	if err := writeNew(o.out, raw, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s  override of %s until %s, to be given to the gate beside the receipts\ndigest   %s\n",
		printable(o.out), o.override.Candidate, clock(o.override.ExpiresAt), digest)
	return nil
}
