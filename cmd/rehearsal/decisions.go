package main

import (
	"crypto"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

// printDecisions lets the gate decide on every candidate of a run, on the files that the run has left: under a policy
// that wants every scenario and is as strict as can be for fixture games, and under one that also accepts that going
// back needs a restore.
func printDecisions(out io.Writer, dir string, signer crypto.Signer, all []statement.Receipt) error {
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		return err
	}
	strict := gate.Policy{Version: gate.PolicyVersion, Scenarios: names(scenarios.Cases()), Fixtures: true}
	for _, receipt := range all {
		if !slices.Contains(strict.Architectures, receipt.Environment.Architecture) {
			strict.Architectures = append(strict.Architectures, receipt.Environment.Architecture)
		}
	}
	lenient := strict
	lenient.Dispositions = []statement.Disposition{statement.CompatibleRollback, statement.RestoreRequired}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nGATE\tBY DEFAULT\tWHERE A RESTORE IS ALLOWED\tDIGEST")
	asked := map[string]bool{}
	for _, receipt := range all {
		if asked[receipt.Candidate.Digest] {
			continue
		}
		asked[receipt.Candidate.Digest] = true
		question := gate.Question{Candidate: receipt.Candidate.Digest, Challenge: receipt.Run.Challenge}
		byDefault, err := decisionOn(dir, key, strict, question)
		if err != nil {
			return err
		}
		restoring, err := decisionOn(dir, key, lenient, question)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable(receipt.Candidate.Name), byDefault, restoring, printable(receipt.Candidate.Digest))
	}
	return table.Flush()
}

func decisionOn(dir string, key dsse.Key, policy gate.Policy, question gate.Question) (string, error) {
	trust, err := gate.TrustOf(policy, key)
	if err != nil {
		return "", err
	}
	inputs := &signedInputs{paths: []string{dir}}
	decision := gate.Decide(policy, trust, question, inputs.All, time.Now())
	if err := inputs.Err(); err != nil {
		return "", err
	}
	if decision.Promote {
		return "promote", nil
	}
	var codes []string
	for _, reason := range causes(decision.Reasons) {
		codes = append(codes, string(reason.Code))
	}
	return "hold: " + strings.Join(slices.Compact(codes), ", "), nil
}

// causes leaves out the reasons that follow from others: where a receipt does not count for a reason of its own, its
// cell is also missing, and the candidate was not rehearsed.
func causes(reasons []gate.Reason) []gate.Reason {
	explained := make(map[string]bool) // cells, and their architectures
	for _, reason := range reasons {
		if reason.Cell != "" && reason.Code != refusal.RequiredCellMissing && reason.Code != refusal.CandidateNotRehearsed {
			architecture, _, _ := strings.Cut(reason.Cell, "/")
			explained[reason.Cell], explained[architecture] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(reason gate.Reason) bool {
		return (reason.Code == refusal.CandidateNotRehearsed || reason.Code == refusal.RequiredCellMissing) && explained[reason.Cell]
	})
}
