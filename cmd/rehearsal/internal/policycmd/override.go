package policycmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// overrideFlags are the flags of an override.
type overrideFlags struct {
	override statement.Override
	waive    []string
	lasts    time.Duration
	key, out string
}

func newOverrideCommand() *cobra.Command {
	var o overrideFlags
	var waivable []string
	for _, code := range statement.Waivable() {
		waivable = append(waivable, string(code))
	}
	cmd := &cobra.Command{
		Use:   "override --candidate DIGEST --waive CODE --by NAME --reason TEXT --key FILE --out FILE",
		Short: "Sign an override: the gate waives demands of its policy for one candidate, for a time",
		Long: `Signs an override. Give it to the gate together with the receipts. The key must be one of the policy's
overrideKeys. An override can waive these codes:
  ` + strings.Join(waivable, ",\n  ") + `.
It cannot waive evidence that is missing, failed, forged or against the candidate.

Exit codes: 0 written, 1 the file exists, 2 usage, 3 a file cannot be read or written.`,
		Example: `  rehearsal policy override --candidate sha256:… --waive disposition-not-allowed --by "Ada" \
    --reason "restore tried by hand, ticket 42" --key override.key --out override.intoto.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.OutOrStdout()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.override.Candidate, "candidate", "", "image `digest` of the candidate, or a reference with @digest")
	flags.StringSliceVar(&o.waive, "waive", nil, "`code` to waive (repeatable)")
	flags.StringVar(&o.override.By, "by", "", "`name` of the person who answers for it")
	flags.StringVar(&o.override.Reason, "reason", "", "`text` that says why")
	flags.StringVar(&o.override.Policy, "for-policy", "", "`digest` of the only policy that it overrides (policy lint prints it)")
	flags.DurationVar(&o.lasts, "lasts", 24*time.Hour, "time until it expires, at most "+statement.MaxOverride.String())
	flags.StringVar(&o.key, "key", "", "private key `file` to sign with")
	flags.StringVar(&o.out, "out", "", "`file` to write, such as override.intoto.json")
	return cmd
}

func (o *overrideFlags) run(out io.Writer) error {
	if o.key == "" || o.out == "" {
		return exit.Usage("--key and --out are needed: what to sign with, and where to write")
	}
	o.override.Candidate = statement.WithoutRepository(o.override.Candidate)
	for _, code := range o.waive {
		o.override.Waives = append(o.override.Waives, refusal.Code(code))
	}
	o.override.IssuedAt = time.Now().UTC().Truncate(time.Second)
	o.override.ExpiresAt = o.override.IssuedAt.Add(o.lasts)
	signer, err := keyfile.Private(o.key)
	if err != nil {
		return exit.Cannot(err)
	}
	raw, digest, err := attestation.SignOverride(o.override, signer)
	if err != nil {
		return exit.Usage("%w", err)
	}
	if err := atomicfile.WriteNew(o.out, raw, 0o644); errors.Is(err, fs.ErrExist) {
		return exit.Failed(err)
	} else if err != nil {
		return exit.Cannot(err)
	}
	fmt.Fprintf(out, "%s  override of %s until %s, for the gate, with the receipts\ndigest   %s\n",
		printable.Line(o.out), o.override.Candidate, o.override.ExpiresAt.Format(time.RFC3339), digest)
	return nil
}
