package gate

import (
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// docket is what a decision keeps of the inputs.
type admission struct {
	policy       Policy
	question     Question
	now          time.Time
	trust        Trust
	receiptKeys  []dsse.Key
	overrideKeys []dsse.Key

	reports          reports
	evidence                                        // that is believed
	future           evidence                       // refused because the harness's clock was ahead
	candidateDigests map[string]bool                // digests under which the candidate's images are known: see acquaint
	overrides        map[string]*statement.Override // by digest
	refused          map[string]InputReport         // documents that trusted keys signed and that are not believed, by digest
	waived           map[refusal.Code][]string      // overrides by the code that they waive
	used             map[string][]refusal.Code      // codes that an override waived in fact
}

func newAdmission(policy Policy, trust Trust, question Question, now time.Time) *admission {
	return &admission{
		policy:       policy,
		question:     question,
		now:          now,
		trust:        trust,
		receiptKeys:  usable(trust.Receipts),
		overrideKeys: usable(trust.Overrides),
		reports:      reports{signed: make(map[reported]InputReport)},
		evidence:     newEvidence(),
		future:       newEvidence(),
		overrides:    make(map[string]*statement.Override),
		refused:      make(map[string]InputReport),
		waived:       make(map[refusal.Code][]string),
		used:         make(map[string][]refusal.Code),
	}
}

// take keeps what the decision needs of an input that was opened. The order of the inputs makes no difference.
func (d *admission) take(input Input, document *attestation.Document, err error) {
	report := InputReport{Name: strings.Clone(input.Name), Digest: document.Digest, Kind: strings.Clone(document.Kind)}
	for _, key := range document.SignedBy {
		report.SignedBy = append(report.SignedBy, key.ID())
	}
	if err != nil {
		report.Code, report.Detail = refusal.CodeOf(err), statement.Excerpt(strings.TrimPrefix(err.Error(), string(refusal.CodeOf(err))+": "))
	}
	d.reports.add(report)
	switch {
	case err == nil && document.Override != nil:
		d.overrides[document.Digest] = document.Override
	case err == nil:
		d.keep(document)
	case document.Digest != "":
		if known, twice := d.refused[document.Digest]; !twice || report.Code < known.Code {
			d.refused[document.Digest] = report
		}
		if report.Code == refusal.FromTheFuture {
			d.future.keep(document)
		}
	}
}

// about says whether a receipt is of the candidate that is asked about.
func (d *admission) isCandidate(r *record) bool {
	return r.Candidate == d.question.Candidate || r.Platform == d.question.Candidate
}

// acquaint learns under which digests the candidate is known: the same platform's image can be put under another index,
// and what was seen of it there is still true. A manifest tells it also of a receipt that is not there.
func (d *admission) collectCandidateDigests() {
	d.candidateDigests = map[string]bool{d.question.Candidate: true}
	learn := func(candidate, platform string) {
		if candidate == d.question.Candidate || platform == d.question.Candidate {
			d.candidateDigests[candidate], d.candidateDigests[platform] = true, true
		}
	}
	for _, e := range []evidence{d.evidence, d.future} {
		for _, r := range e.receipts {
			learn(r.Candidate, r.Platform)
		}
		for _, m := range e.manifests {
			for _, cell := range m.Cells {
				learn(cell.Candidate, cell.Platform)
			}
		}
	}
	delete(d.candidateDigests, "")
}

// related says whether what is known of an image is known of the candidate.
func (d *admission) concernsCandidate(candidate, platform string) bool {
	return d.candidateDigests[candidate] || d.candidateDigests[platform]
}

// rehearses says whether a run rehearsed the candidate that is asked about: by its manifest, or by a receipt in it.
func (d *admission) rehearsesCandidate(m *statement.Manifest) bool {
	for _, cell := range m.Cells {
		if d.concernsCandidate(cell.Candidate, cell.Platform) {
			return true
		}
		if r := d.receipts[cell.Receipt]; r != nil && d.concernsCandidate(r.Candidate, r.Platform) {
			return true
		}
	}
	return false
}
