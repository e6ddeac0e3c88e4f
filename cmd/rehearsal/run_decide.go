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
	policy, err := policyfile.Read(policyFile)
	if err != nil {
		return false, err
	}
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return false, err
	}
	trust, err := gate.TrustOf(policy, key)
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

// signer reads the key that was given, or makes one that is forgotten after the run.
func (o runOptions) signer() (crypto.Signer, error) {
	if o.key == "" {
		return dsse.GenerateKey(dsse.ECDSAP256)
	}
	return keyfile.Private(o.key)
}
