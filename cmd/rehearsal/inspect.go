package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func newInspectCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "inspect PATH... [--key FILE]",
		Short: "Show receipts and manifests as pages for people",
		Long: `Shows what a rehearsal saw: claims before and after, joins, checks, phases. With --key the signatures are
verified; without, the page says that nobody vouches for it.

Exit codes: 0 shown, 1 something was refused or nothing was found, 2 usage, 3 something cannot be read.`,
		Example: "  rehearsal inspect runs/4711/restore-required.amd64.intoto.json --key rehearsal.pub",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantPaths(args); err != nil {
				return err
			}
			trusted, err := readKeys(keys)
			if err != nil {
				return cannot(err)
			}
			inputs := &signedInputs{paths: args, stdin: cmd.InOrStdin()}
			ok, found := true, false
			for input := range inputs.All {
				found = true
				ok = inspect(cmd.OutOrStdout(), input, trusted) && ok
			}
			if err := inputs.Err(); err != nil {
				return cannot(err)
			}
			if !found {
				return exitError{exitFailed, errors.New("nothing to inspect: no *.intoto.json was found")}
			}
			if !ok {
				return exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "public key `file` to verify with (repeatable)")
	return cmd
}

// inspect prints the page of one document.
func inspect(out io.Writer, input gate.Input, keys []dsse.Key) bool {
	document, vouched, err := openFor(input, keys)
	if err != nil {
		fmt.Fprintf(out, "%s\n  REFUSED: %s\n\n", printable(input.Name), printable(err.Error()))
		return false
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	page := page{table}
	page.line("%s", input.Name)
	page.line("  digest\t%s", document.Digest)
	page.line("  signed\t%s", vouched)
	switch {
	case document.Receipt != nil:
		page.receipt(document.Receipt)
	case document.Manifest != nil:
		page.manifest(document.Manifest)
	case document.Override != nil:
		page.override(document.Override)
	case document.Result != nil:
		page.line("  test result\t%s", document.Result.Result)
	case document.Summary != nil:
		page.summary(document.Summary)
	}
	page.line("")
	_ = table.Flush() // an error of the terminal shows by itself
	return true
}

func openFor(input gate.Input, keys []dsse.Key) (*attestation.Document, string, error) {
	if len(keys) == 0 {
		document, err := attestation.ReadUnverified(input.Raw)
		return document, "NOT VERIFIED: no key was given, nobody vouches for this page", err
	}
	document, err := attestation.Open(input.Raw, keys, 1)
	if err != nil {
		return nil, "", err
	}
	var ids []string
	for _, key := range document.SignedBy {
		ids = append(ids, key.ID())
	}
	return document, "by " + strings.Join(ids, ", "), nil
}

// page writes lines with columns. What it prints comes from strangers and is made printable.
type page struct{ w io.Writer }

func (p page) line(format string, args ...any) {
	for i, arg := range args {
		switch reflect.ValueOf(arg).Kind() {
		case reflect.String, reflect.Slice:
			args[i] = printable(fmt.Sprint(arg))
		}
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p page) manifest(m *statement.Manifest) {
	p.line("  run\t%s, %s to %s", m.Run, clock(m.StartedAt), clock(m.FinishedAt))
	for _, cell := range m.Cells {
		receipt := cell.Receipt
		if receipt == "" {
			receipt = "no receipt was written"
		}
		p.line("  %s\t%s\t%s\t%s", cell.Architecture, cell.Scenario, cell.File, receipt)
	}
}

func (p page) override(o *statement.Override) {
	p.line("  candidate\t%s", o.Candidate)
	p.line("  waives\t%s", o.Waives)
	p.line("  by\t%s: %s", o.By, o.Reason)
	p.line("  holds\t%s to %s", clock(o.IssuedAt), clock(o.ExpiresAt))
}

func (p page) summary(s *statement.VerificationSummary) {
	p.line("  %s\t%s %s", s.VerificationResult, s.ResourceURI, s.VerifiedLevels)
	p.line("  decided\t%s by %s on policy sha256:%s and %d documents", clock(s.TimeVerified), s.Verifier.ID, s.Policy.Digest.SHA256, len(s.InputAttestations))
}

func (p page) receipt(r *statement.Receipt) {
	p.line("  verdict\t%s", r.Verdict)
	p.line("  disposition\t%s", r.Disposition)
	p.line("  run\t%s, %s, %s to %s", r.Run.ID, r.Run.Scenario, clock(r.Run.StartedAt), clock(r.Run.FinishedAt))
	if r.Run.Challenge != "" {
		p.line("  challenge\t%s", r.Run.Challenge)
	}
	e := r.Environment
	p.line("  on\t%s%s, Kubernetes %s, egress %s, operator %s by %s", e.Architecture, emulated(e), e.Kubernetes, e.Egress, e.Operator.Name, e.Operator.Adoption)
	p.line("  baseline\t%s%s  %s", r.Baseline.Name, fixture(r.Baseline), r.Baseline.Image)
	p.line("  candidate\t%s%s  %s", r.Candidate.Name, fixture(r.Candidate), r.Candidate.Image)
	if r.Fault != nil {
		p.line("  fault\t%s in %s: %s", r.Fault.Class, r.Fault.Step, r.Fault.Message)
	}
	p.claims(r)
	p.checkpoints(r)
	p.way(r)
	p.checks(r)
	p.spans(r)
}

func emulated(e statement.Environment) string {
	if e.Emulated {
		return " (emulated)"
	}
	return ""
}

func fixture(r statement.Revision) string {
	if r.Fixture {
		return " (made for tests)"
	}
	return ""
}

func clock(t time.Time) string { return t.Format(time.RFC3339) }

// claims is the table of the rollout contract: each claim before the candidate, and after candidate and way back.
func (p page) claims(r *statement.Receipt) {
	if len(r.Checkpoints) == 0 {
		return
	}
	before, after := r.Checkpoints[0], r.Checkpoints[len(r.Checkpoints)-1]
	p.line("\n  Clone PVC\tBefore candidate\tAfter candidate and rollback\tMarker before\tafter")
	for _, row := range claimRows(r.Checkpoints) {
		was, _ := row.in(before)
		is, _ := row.in(after)
		p.line("  %s\t%s\t%s\t%s\t%s", row.label, was.UID, is.UID, was.Marker, is.Marker)
	}
}

func (p page) checkpoints(r *statement.Receipt) {
	p.line("\n  Checkpoint\tOutcome\tPod\tImage\tWorld")
	for _, cp := range r.Checkpoints {
		outcome := string(cp.Outcome)
		if cp.Reason != "" {
			outcome += ": " + string(cp.Reason)
		}
		uid, image, world := "", "", ""
		if cp.Pod != nil {
			uid, image = cp.Pod.UID, digestOnly(cp.Pod.ImageID)
		}
		if cp.World != nil {
			world = fmt.Sprintf("DataVersion %d, format marker %q, %d chunks, %d players", cp.World.DataVersion, cp.World.FormatMarker, cp.World.Chunks, cp.World.Players)
			if cp.World.Damaged > 0 {
				world += fmt.Sprintf(", %d damaged", cp.World.Damaged)
			}
		}
		p.line("  %s\t%s\t%s\t%s\t%s", cp.Name, outcome, uid, image, world)
	}
	for _, cp := range r.Checkpoints {
		if cp.Message != "" {
			p.line("  at %s: %s", cp.Name, cp.Message)
		}
	}
	p.line("\n  Join at\tDepth\tClass\tMarker\tTook\tEvidence")
	for _, cp := range r.Checkpoints {
		for _, join := range cp.Joins {
			p.line("  %s\t%s\t%s\t%s\t%d ms\t%s", cp.Name, join.Depth, join.Class, join.Marker, join.Millis, join.Evidence)
		}
	}
}

// way shows the backup, the restores and the fleet.
func (p page) way(r *statement.Receipt) {
	p.line("")
	if r.Backup != nil {
		p.line("  backup\t%s of %s, restic snapshot %s", r.Backup.UID, r.Backup.Source, r.Backup.Snapshot)
	}
	for _, restore := range r.Restores {
		p.line("  restore\t%s for the %s, restic snapshot %s", restore.UID, restore.Purpose, restore.Snapshot)
	}
	for _, member := range r.Fleet {
		p.line("  fleet\t%s, pods %s, %d restarts, gapless watch %t", member.Server, strings.Join(member.PodUIDs, " "), member.Restarts, member.Gapless)
	}
	p.line("  journal\tup to entry %d, admitted %s", r.Journal.Entries, strings.Join(r.Journal.Admitted, " "))
}

func (p page) checks(r *statement.Receipt) {
	p.line("\n  Check\t\tWanted\tFound")
	checks, _, _ := evaluation.Of(*r) // what the receipt says that was wanted and found, nobody has checked
	for _, check := range checks {
		word := "ok"
		if !check.OK {
			word = "FAILS"
		}
		p.line("  %s\t%s\t%s\t%s", check.Name, word, check.Want, check.Got)
	}
}

func (p page) spans(r *statement.Receipt) {
	p.line("\n  Phase\tTook\tWaited for")
	var sum time.Duration
	for _, span := range r.Spans {
		took := time.Duration(span.Millis) * time.Millisecond
		sum += took
		p.line("  %s\t%s\t%s", span.Name, took.String(), span.Waited)
	}
	wall := r.Run.FinishedAt.Sub(r.Run.StartedAt)
	p.line("  between\t%s", (wall - sum).Round(time.Millisecond).String())
	p.line("  run\t%s", wall.Round(time.Millisecond).String())
}
