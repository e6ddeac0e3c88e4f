package gatecmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// flags are the flags of the gate.
type flags struct {
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

func (f *flags) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.policy, "policy", "", "policy `file`, YAML or JSON")
	flags.StringArrayVar(&f.keys, "key", nil, "public key `file` that signs receipts, in addition to the policy's keys (repeatable)")
	flags.StringVar(&f.candidate, "candidate", "", "image `digest` to promote, or a reference with @digest")
	flags.StringVar(&f.question.Template, "template", "", "`digest` of the template revision to promote it with")
	flags.StringVar(&f.question.Bundle, "bundle", "", "`digest` of the module bundle to promote it with")
	flags.StringVar(&f.question.Challenge, "challenge", "", "nonce that the run was given")
	flags.StringVar(&f.at, "at", "", "decide as of this RFC 3339 `time` instead of now, to check an old decision; not with --vsa")
	flags.BoolVar(&f.json, "json", false, "print the decision as JSON")
	flags.BoolVar(&f.explain, "explain", false, "say what the receipts vouch for, and what nobody vouches for")
	flags.StringVar(&f.vsa, "vsa", "", "write a signed SLSA verification summary to this `file`; first removes an earlier summary there")
	flags.StringVar(&f.vsaKey, "vsa-key", "", "private key `file` that signs the summary")
	flags.StringVar(&f.verifier, "verifier", "https://github.com/GameplanePanel/rehearsal", "`URI` that names this gate in the summary")
}

// check refuses flags that do not go together, and returns the time to decide at.
func (f *flags) check() (time.Time, error) {
	if f.policy == "" {
		return time.Time{}, exit.Usage("no policy given: name one with --policy (docs/policy.yaml is an example)")
	}
	if f.candidate == "" {
		return time.Time{}, exit.Usage("no candidate given: name the digest of its image with --candidate")
	}
	f.question.Candidate = statement.WithoutRepository(f.candidate)
	for _, flag := range []struct {
		name, digest string
		optional     bool
	}{{"candidate", f.question.Candidate, false}, {"template", f.question.Template, true}, {"bundle", f.question.Bundle, true}} {
		if !statement.IsDigest(flag.digest) && (flag.digest != "" || !flag.optional) {
			return time.Time{}, exit.Usage("--%s %q is not a digest: want sha256:<64 hex digits>", flag.name, flag.digest)
		}
	}
	if (f.vsa == "") != (f.vsaKey == "") {
		return time.Time{}, exit.Usage("--vsa and --vsa-key go together: where to write, and what to sign with")
	}
	if f.vsa != "" && f.at != "" {
		return time.Time{}, exit.Usage("--vsa and --at exclude each other: a summary says when it was decided, and that is now")
	}
	if f.json && f.explain {
		return time.Time{}, exit.Usage("--json and --explain exclude each other: the JSON holds everything already")
	}
	if f.at == "" {
		return time.Now(), nil
	}
	now, err := time.Parse(time.RFC3339, f.at)
	if err != nil {
		return time.Time{}, exit.Usage("--at %q is not an RFC 3339 time, like 2026-11-11T09:00:00Z", f.at)
	}
	return now, nil
}
