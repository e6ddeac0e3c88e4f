package main

import (
	"crypto"
	"io"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/harness/policyfile"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// decideOn asks the gate about a candidate, on the files that its run wrote, as `rehearsal gate` does.
func (o runOptions) decideOn(out io.Writer, policyFile string, signer crypto.Signer, played existing.Played) (bool, error) {
	policy, trust, err := readPolicy(policyFile, signer)
	if err != nil {
		return false, err
	}
	inputs := &rundir.Source{Paths: []string{played.Dir}}
	question := gate.Question{Candidate: statement.WithoutRepository(played.Candidate.Ref), Challenge: o.challenge}
	decision := gate.Decide(policy, trust, question, inputs.All, time.Now())
	if err := inputs.Err(); err != nil {
		return false, err
	}
	report.Decision(out, decision, false)
	return decision.Promote, nil
}

// readPolicy reads a policy, which trusts the run's own key.
func readPolicy(file string, signer crypto.Signer) (gate.Policy, gate.Trust, error) {
	policy, err := policyfile.Read(file)
	if err != nil {
		return gate.Policy{}, gate.Trust{}, err
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return gate.Policy{}, gate.Trust{}, err
	}
	trust, err := gate.TrustOf(policy, key)
	return policy, trust, err
}

// checkPolicy finds at the start of a run what its end would stumble over.
func checkPolicy(file string, signer crypto.Signer) error {
	if file == "" {
		return nil
	}
	_, _, err := readPolicy(file, signer)
	return err
}

// signer reads the key that was given, or makes one that is forgotten after the run.
func (o runOptions) signer() (crypto.Signer, error) {
	if o.key == "" {
		return dsse.GenerateKey(dsse.ECDSAP256)
	}
	return keyfile.Private(o.key)
}
