package gate

import (
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// admission holds what a decision needs of the policy, the question and the inputs.
type admission struct {
	policy       Policy
	question     Question
	now          time.Time
	trust        Trust
	receiptKeys  []dsse.Key
	overrideKeys []dsse.Key

	reports          reports
	evidence                                        // accepted receipts and manifests
	future           evidence                       // refused because the harness's clock was ahead
	candidateDigests map[string]bool                // digests of the candidate's images: see collectCandidateDigests
	overrides        map[string]*statement.Override // by digest
	refused          map[string]InputReport         // refused documents that trusted keys signed, by digest
	waived           map[refusal.Code][]string      // digests of the overrides that waive a code
	used             map[string][]refusal.Code      // codes that came up and that an override waived, by its digest
}

func newAdmission(policy Policy, trust Trust, question Question, now time.Time) *admission {
	return &admission{
		policy:       policy,
		question:     question,
		now:          now,
		trust:        trust,
		receiptKeys:  usable(trust.Receipts),
		overrideKeys: usable(trust.Overrides),
		reports:      reports{signed: make(map[reportKey]InputReport)},
		evidence:     newEvidence(),
		future:       newEvidence(),
		overrides:    make(map[string]*statement.Override),
		refused:      make(map[string]InputReport),
		waived:       make(map[refusal.Code][]string),
		used:         make(map[string][]refusal.Code),
	}
}

// addInput adds what the decision needs of a verified input. The order of the inputs makes no difference.
func (a *admission) addInput(input Input, document *attestation.Document, err error) {
	report := InputReport{Name: strings.Clone(input.Name), Digest: document.Digest, Kind: strings.Clone(document.Kind)}
	for _, key := range document.SignedBy {
		report.SignedBy = append(report.SignedBy, key.ID())
	}
	if err != nil {
		report.Code, report.Detail = refusal.CodeOf(err), statement.Excerpt(strings.TrimPrefix(err.Error(), string(refusal.CodeOf(err))+": "))
	}
	a.reports.add(report)
	switch {
	case err == nil && document.Override != nil:
		a.overrides[document.Digest] = document.Override
	case err == nil:
		a.evidence.add(document)
	case document.Digest != "":
		if known, exists := a.refused[document.Digest]; !exists || report.Code < known.Code {
			a.refused[document.Digest] = report
		}
		if report.Code == refusal.FromTheFuture {
			a.future.add(document)
		}
	}
}

// isCandidate says whether a receipt is about the image that the question names.
func (a *admission) isCandidate(r *record) bool {
	return r.Candidate == a.question.Candidate || r.Platform == a.question.Candidate
}

// collectCandidateDigests collects all digests of the candidate. Another index can contain the same platform image, and
// evidence about that index is evidence about the candidate. Manifests name the digests of missing receipts too.
func (a *admission) collectCandidateDigests() {
	a.candidateDigests = map[string]bool{a.question.Candidate: true}
	collect := func(candidate, platform string) {
		if candidate == a.question.Candidate || platform == a.question.Candidate {
			a.candidateDigests[candidate], a.candidateDigests[platform] = true, true
		}
	}
	for _, e := range []evidence{a.evidence, a.future} {
		for _, r := range e.receipts {
			collect(r.Candidate, r.Platform)
		}
		for _, m := range e.manifests {
			for _, cell := range m.Cells {
				collect(cell.Candidate, cell.Platform)
			}
		}
	}
	delete(a.candidateDigests, "")
}

// concernsCandidate says whether evidence about an image is evidence about the candidate.
func (a *admission) concernsCandidate(candidate, platform string) bool {
	return a.candidateDigests[candidate] || a.candidateDigests[platform]
}

// rehearsesCandidate says whether a run rehearsed the candidate, according to its manifest or to one of its receipts.
func (a *admission) rehearsesCandidate(m *statement.Manifest) bool {
	for _, cell := range m.Cells {
		if a.concernsCandidate(cell.Candidate, cell.Platform) {
			return true
		}
		if r := a.receipts[cell.Receipt]; r != nil && a.concernsCandidate(r.Candidate, r.Platform) {
			return true
		}
	}
	return false
}
