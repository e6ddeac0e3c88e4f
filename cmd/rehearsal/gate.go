package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// gateOptions are the flags of the gate.
type gateOptions struct {
	policy    string
	keys      []string
	candidate string
	question  gate.Question
	at        string
	json      bool
	explain   bool
	vsa       string
	vsaKey    string
	verifier  string
}

func newGateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate PATH... --policy FILE --key FILE --candidate DIGEST",
		Short: "Decide on signed receipts whether a candidate may be promoted",
		Long: `Decides whether a candidate may be promoted, on the receipts and manifests of its rehearsals: files,
directories with *.intoto.json, or - for envelopes on standard input, one a line. It denies by default: every
demand of the policy must be met by documents that a trusted key signed. Nothing is fetched.

Exit codes: 0 promote, 1 hold, 2 usage, 3 cannot evaluate.`,
		Example: "  rehearsal gate runs/4711 --policy policy.yaml --key rehearsal.pub --candidate sha256:…",
		// Empty flags are refused in run, once an earlier summary is gone.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.policy, "policy", "", "policy `file`, YAML or JSON")
	flags.StringArrayVar(&o.keys, "key", nil, "public key `file` that signs receipts, beside those in the policy (repeatable)")
	flags.StringVar(&o.candidate, "candidate", "", "image `digest` that is to be promoted, or a reference with @digest")
	flags.StringVar(&o.question.Template, "template", "", "`digest` of the template revision that it is to be promoted with")
	flags.StringVar(&o.question.Bundle, "bundle", "", "`digest` of the module bundle that it is to be promoted with")
	flags.StringVar(&o.question.Challenge, "challenge", "", "nonce that was given to the run")
	flags.StringVar(&o.at, "at", "", "decide as of this RFC 3339 `time` instead of now, to check an old decision; not with --vsa")
	flags.BoolVar(&o.json, "json", false, "print the decision as JSON")
	flags.BoolVar(&o.explain, "explain", false, "say what was vouched for, and what was not")
	flags.StringVar(&o.vsa, "vsa", "", "write a signed SLSA verification summary to this `file`; an earlier summary there is removed first")
	flags.StringVar(&o.vsaKey, "vsa-key", "", "private key `file` that signs the summary")
	flags.StringVar(&o.verifier, "verifier", "https://github.com/GameplanePanel/rehearsal", "`URI` of who decides, for the summary")
	return cmd
}

func (o *gateOptions) run(cmd *cobra.Command, args []string) error {
	// First of all: whatever comes, an earlier summary must not be taken for this decision's.
	if err := o.removeSummary(args); err != nil {
		return err
	}
	if err := wantValues(cmd, args); err != nil {
		return err
	}
	if err := wantPaths(args); err != nil {
		return err
	}
	now, err := o.check()
	if err != nil {
		return err
	}
	decision, err := o.decide(cmd.InOrStdin(), args, now)
	if err != nil {
		return cannot(err)
	}
	if o.vsa != "" {
		if err := o.writeSummary(decision); err != nil {
			return cannot(fmt.Errorf("verification summary: %w", err))
		}
	}
	if err := o.print(cmd.OutOrStdout(), decision); err != nil {
		return cannot(err)
	}
	if !decision.Promote {
		return exitError{code: exitFailed}
	}
	return nil
}

// check looks at the flags, and returns the time to decide at.
func (o *gateOptions) check() (time.Time, error) {
	if o.policy == "" {
		return time.Time{}, usageError("no policy given: name one with --policy (docs/policy.yaml is an example)")
	}
	if o.candidate == "" {
		return time.Time{}, usageError("no candidate given: name the digest of its image with --candidate")
	}
	o.question.Candidate = digestOnly(o.candidate)
	for _, flag := range []struct {
		name, digest string
		optional     bool
	}{{"candidate", o.question.Candidate, false}, {"template", o.question.Template, true}, {"bundle", o.question.Bundle, true}} {
		if !statement.IsDigest(flag.digest) && (flag.digest != "" || !flag.optional) {
			return time.Time{}, usageError("--%s %q is not a digest: want sha256:<64 hex digits>", flag.name, flag.digest)
		}
	}
	if (o.vsa == "") != (o.vsaKey == "") {
		return time.Time{}, usageError("--vsa and --vsa-key go together: where to write, and what to sign with")
	}
	if o.vsa != "" && o.at != "" {
		return time.Time{}, usageError("--vsa and --at exclude each other: a summary says when it was decided, and that is now")
	}
	if o.json && o.explain {
		return time.Time{}, usageError("--json and --explain exclude each other: the JSON holds everything already")
	}
	if o.at == "" {
		return time.Now(), nil
	}
	now, err := time.Parse(time.RFC3339, o.at)
	if err != nil {
		return time.Time{}, usageError("--at %q is not an RFC 3339 time, like 2026-11-11T09:00:00Z", o.at)
	}
	return now, nil
}

// decide reads what there is to read. Its error means that no answer was found.
func (o *gateOptions) decide(stdin io.Reader, args []string, now time.Time) (gate.Decision, error) {
	policy, err := readPolicy(o.policy)
	if err != nil {
		return gate.Decision{}, err
	}
	keys, err := readKeys(o.keys)
	if err != nil {
		return gate.Decision{}, err
	}
	trust, err := gate.TrustOf(policy, keys...)
	if err != nil {
		return gate.Decision{}, err
	}
	inputs := &signedInputs{paths: args, stdin: stdin}
	decision := gate.Decide(policy, trust, o.question, inputs.All, now)
	return decision, inputs.Err()
}

func (o *gateOptions) writeSummary(d gate.Decision) error {
	signer, err := readSigner(o.vsaKey)
	if err != nil {
		return err
	}
	verifier := statement.Verifier{ID: o.verifier}
	raw, err := gate.SignSummary(d, verifier, o.candidate, filepath.Base(o.policy), signer)
	if err != nil {
		return err
	}
	return writeNew(o.vsa, raw, 0o644)
}

func (o *gateOptions) print(out io.Writer, d gate.Decision) error {
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	word := "HOLD"
	if d.Promote {
		word = "PROMOTE"
	}
	fmt.Fprintf(out, "%s  %s\n", word, d.Candidate)
	if o.at != "" {
		fmt.Fprintf(out, "  as of %s\n", clock(d.At))
	}
	for _, override := range d.Overrides {
		if d.Promote && len(override.Used) > 0 {
			fmt.Fprintf(out, "  by an override of %s until %s: %s (waives %v)\n", printable(override.By), clock(override.ExpiresAt), printable(override.Reason), override.Used)
		}
	}
	first := causes(d.Reasons)
	for _, reason := range first {
		fmt.Fprintf(out, "  %s: %s\n", reason.Code, printable(reason.Message))
	}
	for _, reason := range d.Reasons {
		if !slices.Contains(first, reason) {
			fmt.Fprintf(out, "  so also %s: %s\n", reason.Code, printable(reason.Message))
		}
	}
	for _, input := range d.Inputs {
		if input.Code != "" && input.Code != refusal.NotEvidence { // such as the test results beside the receipts
			fmt.Fprintf(out, "  refused %s: %s: %s\n", printable(input.Name), input.Code, printable(input.Detail))
		}
	}
	if d.Unreported > 0 {
		fmt.Fprintf(out, "  not listed: %d copies and documents that not enough trusted keys signed\n", d.Unreported)
	}
	for _, cell := range d.Cells {
		fmt.Fprintf(out, "  counts  %s/%s  %s  run %s\n", printable(cell.Architecture), printable(cell.Scenario), cmp.Or(string(cell.Disposition), "self-test of the harness"), printable(cell.Run))
	}
	if o.explain {
		explain(out, d)
	}
	return nil
}
