package gatecmd

import (
	"io"
	"path/filepath"
	"time"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/policyfile"
	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// decide reads the policy, the keys and the documents. Its error means that there is no answer.
func (f *flags) decide(stdin io.Reader, args []string, now time.Time) (gate.Decision, error) {
	policy, err := policyfile.Read(f.policy)
	if err != nil {
		return gate.Decision{}, err
	}
	keys, err := keyfile.Public(f.keys...)
	if err != nil {
		return gate.Decision{}, err
	}
	trust, err := gate.TrustOf(policy, keys...)
	if err != nil {
		return gate.Decision{}, err
	}
	source := &rundir.Source{Paths: args, Stdin: stdin}
	decision := gate.Decide(policy, trust, f.question, source.All, now)
	return decision, source.Err()
}

func (f *flags) writeSummary(d gate.Decision) error {
	signer, err := keyfile.Private(f.vsaKey)
	if err != nil {
		return exit.Plain(err)
	}
	verifier := statement.Verifier{ID: f.verifier}
	raw, err := gate.SignSummary(d, verifier, f.candidate, filepath.Base(f.policy), signer)
	if err != nil {
		return err
	}
	return exit.Plain(atomicfile.WriteNew(f.vsa, raw, 0o644))
}
