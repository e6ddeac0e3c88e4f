// Command admit shows how an operator admits an update: it reads the receipts of a rehearsal and asks a gate.
//
//	admit POLICY.json RUN-DIRECTORY IMAGE-DIGEST CHALLENGE
//
// It exits 0 to admit, 1 to hold, 2 on wrong usage, and 3 if it cannot decide. An operator treats 2 and 3 as a hold too.
package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

func main() {
	if len(os.Args) != 5 || slices.Contains(os.Args, "") { // an unset variable must not drop a demand
		fmt.Fprintln(os.Stderr, "usage: admit POLICY.json RUN-DIRECTORY IMAGE-DIGEST CHALLENGE")
		os.Exit(2)
	}
	question := gate.Question{Candidate: os.Args[3], Challenge: os.Args[4]}
	decision, err := admit(os.Args[1], os.Args[2], question, time.Now())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	for _, reason := range decision.Reasons {
		fmt.Printf("%s: %q\n", reason.Code, reason.Message) // quoted, because strangers may have written parts of it
	}
	if !decision.Promote {
		os.Exit(1)
	}
}

// admit decides on the documents below a directory. The policy holds the trusted keys.
func admit(policyFile, dir string, question gate.Question, now time.Time) (gate.Decision, error) {
	text, err := os.ReadFile(policyFile)
	if err != nil {
		return gate.Decision{}, err
	}
	policy, err := gate.ParsePolicy(text)
	if err != nil {
		return gate.Decision{}, err
	}
	trust, err := gate.TrustOf(policy)
	if err != nil {
		return gate.Decision{}, err
	}
	inputs, err := rundir.ReadInputs(dir)
	if err != nil {
		return gate.Decision{}, err
	}
	return gate.Decide(policy, trust, question, slices.Values(inputs), now), nil
}
