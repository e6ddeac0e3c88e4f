package report

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
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Decisions lets the gate decide on every candidate of a run, from the files in the directory of the run that the key
// signed, and writes a table. It asks twice: by a policy that wants every scenario and is otherwise the strictest one that
// accepts games made for tests, and by one that also accepts dispositions with a restore.
func Decisions(out io.Writer, dir string, public crypto.PublicKey, scenarios []string, receipts []statement.Receipt) error {
	key, err := dsse.NewKey(public)
	if err != nil {
		return err
	}
	strict := strictPolicy(scenarios, receipts)
	lenient := strict
	lenient.Dispositions = []statement.Disposition{statement.CompatibleRollback, statement.RestoreRequired}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nGATE\tBY DEFAULT\tWHERE A RESTORE IS ALLOWED\tDIGEST")
	asked := map[string]bool{}
	for _, receipt := range receipts {
		if asked[receipt.Candidate.Digest] {
			continue
		}
		asked[receipt.Candidate.Digest] = true
		question := gate.Question{Candidate: receipt.Candidate.Digest, Challenge: receipt.Run.Challenge}
		byDefault, err := decide(dir, key, strict, question)
		if err != nil {
			return err
		}
		restoring, err := decide(dir, key, lenient, question)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable.Line(receipt.Candidate.Name), byDefault, restoring, printable.Line(receipt.Candidate.Digest))
	}
	return table.Flush()
}

func strictPolicy(scenarios []string, receipts []statement.Receipt) gate.Policy {
	policy := gate.Policy{Version: gate.PolicyVersion, Scenarios: scenarios, Fixtures: true}
	for _, receipt := range receipts {
		if !slices.Contains(policy.Architectures, receipt.Environment.Architecture) {
			policy.Architectures = append(policy.Architectures, receipt.Environment.Architecture)
		}
	}
	return policy
}

// decide returns the decision in a few words: "promote", or "hold" with the codes of its causes.
func decide(dir string, key dsse.Key, policy gate.Policy, question gate.Question) (string, error) {
	trust, err := gate.TrustOf(policy, key)
	if err != nil {
		return "", err
	}
	source := &rundir.Source{Paths: []string{dir}}
	decision := gate.Decide(policy, trust, question, source.All, time.Now())
	if err := source.Err(); err != nil {
		return "", err
	}
	if decision.Promote {
		return "promote", nil
	}
	var codes []string
	for _, reason := range gate.Causes(decision.Reasons) {
		codes = append(codes, string(reason.Code))
	}
	return "hold: " + strings.Join(slices.Compact(codes), ", "), nil
}
