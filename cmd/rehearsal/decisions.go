package main

import (
	"crypto"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

// printDecisions lets the gate decide on every candidate of a run, on the files that the run has left: under a policy
// that wants every scenario and is as strict as can be for fixture games, and under one that also accepts that going
// back needs a restore.
func printDecisions(out io.Writer, dir string, signer crypto.Signer, all []receipts.Receipt) error {
	key, err := receipts.NewKey(signer.Public())
	if err != nil {
		return err
	}
	strict := receipts.Policy{Version: receipts.PolicyVersion, Scenarios: names(scenarios.Cases()), Fixtures: true}
	for _, receipt := range all {
		if !slices.Contains(strict.Architectures, receipt.Environment.Architecture) {
			strict.Architectures = append(strict.Architectures, receipt.Environment.Architecture)
		}
	}
	lenient := strict
	lenient.Dispositions = []receipts.Disposition{receipts.CompatibleRollback, receipts.RestoreRequired}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nGATE\tBY DEFAULT\tWHERE A RESTORE IS ALLOWED\tDIGEST")
	asked := map[string]bool{}
	for _, receipt := range all {
		if asked[receipt.Candidate.Digest] {
			continue
		}
		asked[receipt.Candidate.Digest] = true
		question := receipts.Question{Candidate: receipt.Candidate.Digest, Challenge: receipt.Run.Challenge}
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

func decisionOn(dir string, key receipts.Key, policy receipts.Policy, question receipts.Question) (string, error) {
	trust, err := receipts.TrustOf(policy, key)
	if err != nil {
		return "", err
	}
	inputs := &signedInputs{paths: []string{dir}}
	decision := receipts.Decide(policy, trust, question, inputs.All, time.Now())
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
func causes(reasons []receipts.Reason) []receipts.Reason {
	explained := make(map[string]bool) // cells, and their architectures
	for _, reason := range reasons {
		if reason.Cell != "" && reason.Code != receipts.CodeRequiredCell && reason.Code != receipts.CodeNotRehearsed {
			architecture, _, _ := strings.Cut(reason.Cell, "/")
			explained[reason.Cell], explained[architecture] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(reason receipts.Reason) bool {
		return (reason.Code == receipts.CodeNotRehearsed || reason.Code == receipts.CodeRequiredCell) && explained[reason.Cell]
	})
}
