package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// gateOptions are the flags of the gate.
type gateOptions struct {
	policy   string
	keys     []string
	question receipts.Question
	at       string
	json     bool
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.policy, "policy", "", "policy `file`, YAML or JSON")
	flags.StringArrayVar(&o.keys, "key", nil, "public key `file` that signs receipts, beside those in the policy (repeatable)")
	flags.StringVar(&o.question.Candidate, "candidate", "", "image `digest` that is to be promoted, or a reference with @digest")
	flags.StringVar(&o.question.Template, "template", "", "`digest` of the template revision that it is to be promoted with")
	flags.StringVar(&o.question.Bundle, "bundle", "", "`digest` of the module bundle that it is to be promoted with")
	flags.StringVar(&o.question.Challenge, "challenge", "", "nonce that was given to the run")
	flags.StringVar(&o.at, "at", "", "decide as of this RFC 3339 `time` instead of now, to check an old decision")
	flags.BoolVar(&o.json, "json", false, "print the decision as JSON")
	return cmd
}

func (o *gateOptions) run(cmd *cobra.Command, args []string) error {
	if err := wantPaths(args); err != nil {
		return err
	}
	now, err := o.check()
	if err != nil {
		return err
	}
	policy, err := readPolicy(o.policy)
	if err != nil {
		return cannot(err)
	}
	keys, err := readKeys(o.keys)
	if err != nil {
		return cannot(err)
	}
	trust, err := receipts.TrustOf(policy, keys...)
	if err != nil {
		return cannot(err)
	}
	inputs := &signedInputs{paths: args, stdin: cmd.InOrStdin()}
	decision := receipts.Decide(policy, trust, o.question, inputs.All, now)
	if err := inputs.Err(); err != nil {
		return cannot(err)
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
		return time.Time{}, usageError("no policy given: name one with --policy (docs/gate.md has an example)")
	}
	if _, digest, found := strings.Cut(o.question.Candidate, "@"); found {
		o.question.Candidate = digest
	}
	if !receipts.IsDigest(o.question.Candidate) {
		return time.Time{}, usageError("--candidate %q is not an image digest: want sha256:<64 hex digits>, or a reference with @sha256:…", o.question.Candidate)
	}
	for flag, digest := range map[string]string{"template": o.question.Template, "bundle": o.question.Bundle} {
		if digest != "" && !receipts.IsDigest(digest) {
			return time.Time{}, usageError("--%s %q is not a digest: want sha256:<64 hex digits>", flag, digest)
		}
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

// readPolicy reads a policy in YAML, of which JSON is a part.
func readPolicy(path string) (receipts.Policy, error) {
	file, err := os.Open(path)
	if err != nil {
		return receipts.Policy{}, unwrapPath(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, receipts.MaxPolicy+1))
	if err != nil {
		return receipts.Policy{}, unwrapPath(err)
	}
	if len(text) > receipts.MaxPolicy {
		return receipts.Policy{}, fmt.Errorf("%s: more than %d bytes", path, receipts.MaxPolicy)
	}
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return receipts.Policy{}, fmt.Errorf("%s: %w", path, err)
	}
	policy, err := receipts.ParsePolicy(converted)
	if err != nil {
		return receipts.Policy{}, fmt.Errorf("%s: %w", path, err)
	}
	return policy, nil
}

func (o *gateOptions) print(out io.Writer, d receipts.Decision) error {
	if o.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	word := "hold"
	if d.Promote {
		word = "promote"
	}
	fmt.Fprintf(out, "%s  %s\n", word, d.Candidate)
	for _, reason := range d.Reasons {
		fmt.Fprintf(out, "  %s: %s\n", reason.Code, printable(reason.Message))
	}
	for _, cell := range d.Cells {
		fmt.Fprintf(out, "  counts: %s/%s %s run %s %s\n", printable(cell.Architecture), printable(cell.Scenario), cell.Disposition, printable(cell.Run), cell.Receipt)
	}
	for _, input := range d.Inputs {
		if input.Code != "" {
			fmt.Fprintf(out, "  refused: %s: %s: %s\n", printable(input.Name), input.Code, printable(input.Detail))
		}
	}
	return nil
}
