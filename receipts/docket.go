package receipts

import (
	"strings"
	"time"
)

// docket is what a decision keeps of the inputs.
type docket struct {
	policy       Policy
	question     Question
	now          time.Time
	trust        Trust
	receiptKeys  []Key
	overrideKeys []Key

	reports   reports
	evidence                         // that is believed
	ahead     evidence               // refused because the harness's clock was ahead
	kin       map[string]bool        // digests under which the candidate's images are known: see acquaint
	overrides map[string]*Override   // by digest
	refused   map[string]InputReport // documents that trusted keys signed and that are not believed, by digest
	waived    map[Code][]string      // overrides by the code that they waive
	used      map[string][]Code      // codes that an override waived in fact
}

// evidence are receipts and manifests, by digest.
type evidence struct {
	receipts  map[string]*record
	manifests map[string]*Manifest
}

func newEvidence() evidence {
	return evidence{make(map[string]*record), make(map[string]*Manifest)}
}

func (e evidence) keep(document *Document) {
	switch {
	case document.Receipt != nil:
		e.receipts[document.Digest] = newRecord(document.Digest, document.Receipt)
	case document.Manifest != nil:
		e.manifests[document.Digest] = document.Manifest
	}
}

// record is what is kept of a receipt: its size does not depend on the receipt's.
type record struct {
	Place
	digest      string
	cluster     string
	template    string
	bundle      string
	depth       string
	verdict     Verdict
	disposition Disposition
	failing     string // names of the checks that do not hold
	fixture     bool
	emulated    bool
	openEgress  bool
}

func newDocket(policy Policy, trust Trust, question Question, now time.Time) *docket {
	return &docket{
		policy:       policy,
		question:     question,
		now:          now,
		trust:        trust,
		receiptKeys:  usable(trust.Receipts),
		overrideKeys: usable(trust.Overrides),
		reports:      reports{signed: make(map[reported]InputReport)},
		evidence:     newEvidence(),
		ahead:        newEvidence(),
		overrides:    make(map[string]*Override),
		refused:      make(map[string]InputReport),
		waived:       make(map[Code][]string),
		used:         make(map[string][]Code),
	}
}

// take keeps what the decision needs of an input that was opened. The order of the inputs makes no difference.
func (d *docket) take(input Input, document *Document, err error) {
	report := InputReport{Name: strings.Clone(input.Name), Digest: document.Digest, Kind: strings.Clone(document.Kind)}
	for _, key := range document.SignedBy {
		report.SignedBy = append(report.SignedBy, key.ID())
	}
	if err != nil {
		report.Code, report.Detail = CodeOf(err), Excerpt(strings.TrimPrefix(err.Error(), string(CodeOf(err))+": "))
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
		if report.Code == CodeFromFuture {
			d.ahead.keep(document)
		}
	}
}

// open verifies a document with the keys that may sign its kind, and wants it to be in time.
func (d *docket) open(raw []byte) (*Document, error) {
	document, err := Open(raw, d.receiptKeys, d.policy.Threshold)
	if CodeOf(err) == CodeSignatureInvalid && len(d.overrideKeys) > 0 {
		if override, refused := d.openOverride(raw); override.Digest != "" || CodeOf(refused) != CodeSignatureInvalid {
			return override, refused
		}
	}
	switch {
	case err != nil:
		return document, err
	case document.Receipt != nil:
		return document, d.timely(document, document.Receipt.Run.FinishedAt)
	case document.Manifest != nil:
		return document, d.timely(document, document.Manifest.FinishedAt)
	case document.Override != nil:
		return document, refuse(CodeOverrideInvalid, "signed with a key that signs receipts: want one of overrideKeys")
	}
	return document, refuse(CodeNotEvidence, "a decision does not rest on it")
}

// timely wants a document to be fresh, and its keys to have been valid when it was finished.
func (d *docket) timely(document *Document, finished time.Time) error {
	switch {
	case finished.After(d.now.Add(time.Duration(d.policy.ClockSkew))):
		if signedInTime(d.trust.Receipts, document.SignedBy, d.now) < d.policy.Threshold {
			break // nobody who may sign now says so
		}
		return refuse(CodeFromFuture, "finished at %s", finished.Format(time.RFC3339))
	case finished.Before(d.now.Add(-time.Duration(d.policy.MaxAge))):
		return refuse(CodeStale, "finished at %s, more than %s ago", finished.Format(time.RFC3339), time.Duration(d.policy.MaxAge))
	case signedInTime(d.trust.Receipts, document.SignedBy, finished) >= d.policy.Threshold:
		return nil
	}
	return refuse(CodeKeyWindow, "finished at %s, outside the validity of its keys", finished.Format(time.RFC3339))
}

func newRecord(digest string, r *Receipt) *record {
	var failing []string
	for _, check := range r.Checks {
		if !check.OK {
			failing = append(failing, check.Name)
		}
	}
	// Strings of a receipt share its memory; what is kept must not hold on to it.
	own := strings.Clone
	return &record{
		Place:       r.Place(),
		digest:      digest,
		cluster:     own(r.Environment.ClusterUID),
		template:    own(r.Candidate.TemplateDigest),
		bundle:      own(r.Candidate.Bundle),
		depth:       own(r.JoinDepth()),
		verdict:     Verdict(own(string(r.Verdict))),
		disposition: Disposition(own(string(r.Disposition))),
		failing:     strings.Join(failing, ", "),
		fixture:     r.Candidate.Fixture,
		emulated:    r.Environment.Emulated,
		openEgress:  r.Environment.Egress != EgressClosed,
	}
}

// about says whether a receipt is of the candidate that is asked about.
func (d *docket) about(r *record) bool {
	return r.Candidate == d.question.Candidate || r.Platform == d.question.Candidate
}

// acquaint learns under which digests the candidate is known: the same platform's image can be put under another index,
// and what was seen of it there is still true. A manifest tells it also of a receipt that is not there.
func (d *docket) acquaint() {
	d.kin = map[string]bool{d.question.Candidate: true}
	learn := func(candidate, platform string) {
		if candidate == d.question.Candidate || platform == d.question.Candidate {
			d.kin[candidate], d.kin[platform] = true, true
		}
	}
	for _, e := range []evidence{d.evidence, d.ahead} {
		for _, r := range e.receipts {
			learn(r.Candidate, r.Platform)
		}
		for _, m := range e.manifests {
			for _, cell := range m.Cells {
				learn(cell.Candidate, cell.Platform)
			}
		}
	}
	delete(d.kin, "")
}

// related says whether what is known of an image is known of the candidate.
func (d *docket) related(candidate, platform string) bool { return d.kin[candidate] || d.kin[platform] }

// rehearses says whether a run rehearsed the candidate that is asked about: by its manifest, or by a receipt in it.
func (d *docket) rehearses(m *Manifest) bool {
	for _, cell := range m.Cells {
		if d.related(cell.Candidate, cell.Platform) {
			return true
		}
		if r := d.receipts[cell.Receipt]; r != nil && d.related(r.Candidate, r.Platform) {
			return true
		}
	}
	return false
}
