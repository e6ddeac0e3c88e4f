package main

import (
	"crypto"
	"io"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

// decideOn asks the gate about a candidate, on the files that its run wrote, as `rehearsal gate` does.
func (o runOptions) decideOn(out io.Writer, policyFile string, signer crypto.Signer, played existing.Played) (bool, error) {
	policy, err := readPolicy(policyFile)
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
	inputs := &signedInputs{paths: []string{played.Dir}}
	question := gate.Question{Candidate: digestOnly(played.Candidate.Ref), Challenge: o.challenge}
	decision := gate.Decide(policy, trust, question, inputs.All, time.Now())
	if err := inputs.Err(); err != nil {
		return false, err
	}
	return decision.Promote, new(gateOptions).print(out, decision)
}
