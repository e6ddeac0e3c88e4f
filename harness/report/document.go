package report

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Document writes the page of a document that was found under a name. Where no key signed it, the page says that nobody
// vouches for it.
func Document(out io.Writer, name string, d *attestation.Document) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	page := page{table}
	page.line("%s", name)
	page.line("  digest\t%s", d.Digest)
	page.line("  signed\t%s", signers(d))
	switch {
	case d.Receipt != nil:
		page.receipt(d.Receipt)
	case d.Manifest != nil:
		page.manifest(d.Manifest)
	case d.Override != nil:
		page.override(d.Override)
	case d.Result != nil:
		page.line("  test result\t%s", d.Result.Result)
	case d.Summary != nil:
		page.summary(d.Summary)
	}
	page.line("")
	_ = table.Flush() // the writer remembers its error
}

// Refused writes the page of a document that was refused.
func Refused(out io.Writer, name string, why error) {
	fmt.Fprintf(out, "%s\n  REFUSED: %s\n\n", printable.Line(name), printable.Line(why.Error()))
}

func signers(d *attestation.Document) string {
	if len(d.SignedBy) == 0 {
		return "NOT VERIFIED: no key was given, nobody vouches for this page"
	}
	var ids []string
	for _, key := range d.SignedBy {
		ids = append(ids, key.ID())
	}
	return "by " + strings.Join(ids, ", ")
}

// page writes lines with columns, and makes every text in them printable.
type page struct{ w io.Writer }

func (p page) line(format string, args ...any) {
	for i, arg := range args {
		switch reflect.ValueOf(arg).Kind() {
		case reflect.String, reflect.Slice:
			args[i] = printable.Line(fmt.Sprint(arg))
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

func clock(t time.Time) string { return t.Format(time.RFC3339) }
