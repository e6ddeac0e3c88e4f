// Package verification verifies the documents of runs: each by its signatures, and all against each other.
//
// It looks at neither age nor policy nor candidate: the gate does.
package verification

import (
	"fmt"
	"iter"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

// Word is a finding in a word.
type Word string

// Words of findings.
const (
	Verified Word = "verified"
	Refused  Word = "REFUSED" // the document is not what it says
	Missing  Word = "MISSING" // a manifest names a receipt that is not there
	Note     Word = "note"    // nothing is wrong, and something is not known
)

// Finding is the answer for one document, or for what does not belong together. Name is the name of a file, as it was
// given or as a manifest says.
type Finding struct {
	Word Word
	Name string
	Text string
}

// OK says whether nothing is wrong.
func (f Finding) OK() bool { return f.Word == Verified || f.Word == Note }

// Of verifies the documents of a source, each of which must be signed by at least threshold of the keys. There is no
// finding where the source holds no document. Where the source has an error, the findings are incomplete.
func Of(source *rundir.Source, keys []dsse.Key, threshold int) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		v := verifier{
			yield: yield, receipts: make(map[string]receipt),
			named: make(map[runReceipt]bool), cells: make(map[runCell]string),
		}
		for document := range source.Documents {
			v.document(document, keys, threshold)
			if v.stopped {
				return
			}
		}
		if source.Err() != nil {
			return
		}
		for _, m := range v.manifests {
			v.manifest(m)
		}
		v.unnamed()
	}
}

// verifier remembers of the documents what the comparison with each other needs.
type verifier struct {
	yield     func(Finding) bool
	stopped   bool // the caller wants no more findings
	manifests []manifest
	receipts  map[string]receipt // by digest
	order     []string           // digests of the receipts, as they came
	named     map[runReceipt]bool
	cells     map[runCell]string // to the digest of the receipt
}

// runReceipt is a receipt that a manifest of the run names.
type runReceipt struct{ run, digest string }

// runCell is a cell of a manifest of the run.
type runCell struct{ run, architecture, scenario string }

func (v *verifier) say(word Word, name, format string, args ...any) {
	v.stopped = v.stopped || !v.yield(Finding{word, name, fmt.Sprintf(format, args...)})
}

func (v *verifier) document(d rundir.Document, keys []dsse.Key, threshold int) {
	document, err := attestation.Open(d.Raw, keys, threshold)
	if err != nil {
		v.say(Refused, d.Name, "%v", err)
		return
	}
	if document.Manifest != nil { // the answer needs all receipts
		v.manifests = append(v.manifests, manifest{d.Name, summary(document), document.Manifest})
		return
	}
	v.say(Verified, d.Name, "%s", summary(document))
	if document.Receipt == nil {
		return
	}
	if _, twice := v.receipts[document.Digest]; !twice {
		v.order = append(v.order, document.Digest)
		v.receipts[document.Digest] = receipt{d.Name, document.Receipt.Header()}
	}
	if d.Dir != "" {
		v.journal(d.Name, d.Dir, document)
	}
}

func summary(d *attestation.Document) string {
	switch {
	case d.Receipt != nil:
		return fmt.Sprintf("receipt of %s on %s: %s, %s", d.Receipt.Run.Scenario,
			d.Receipt.Environment.Architecture, d.Receipt.Verdict, d.Receipt.Disposition)
	case d.Manifest != nil:
		return fmt.Sprintf("manifest of run %s: %d receipts", d.Manifest.Run, len(d.Manifest.Cells))
	case d.Override != nil:
		return fmt.Sprintf("override by %s until %s", d.Override.By, d.Override.ExpiresAt.Format(time.RFC3339))
	case d.Result != nil:
		return "test result: " + d.Result.Result
	case d.Summary != nil:
		return "verification summary: " + d.Summary.VerificationResult
	}
	return d.Kind
}
