package gate

import (
	"cmp"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// maxUnsigned is the number of documents without enough trusted signatures that are reported one by one. Anybody can add
// such documents, and they must not take up memory.
const maxUnsigned = 1024

// reports collects the reports on the inputs: one for each signed document, whatever the number of its copies, and a
// bounded number for other documents. The order of the inputs does not influence which ones are reported.
type reports struct {
	total      int // inputs
	unreported int // inputs without a report
	signed     map[reportKey]InputReport
	unsigned   []InputReport
}

// reportKey identifies the report of a signed document. Copies with other signatures may get another code.
type reportKey struct {
	digest string
	code   refusal.Code
}

func (r *reports) add(report InputReport) {
	r.total++
	slices.Sort(report.SignedBy)
	if report.Digest == "" {
		r.unsigned = append(r.unsigned, report)
		if len(r.unsigned) >= 2*maxUnsigned {
			r.trim()
		}
		return
	}
	key := reportKey{report.Digest, report.Code}
	if other, exists := r.signed[key]; exists {
		r.unreported++
		report.SignedBy = slices.Compact(slices.Sorted(slices.Values(append(report.SignedBy, other.SignedBy...))))
		if byName(other, report) < 0 {
			report.Name, report.Detail = other.Name, other.Detail
		}
	}
	r.signed[key] = report
}

// trim drops all but the first maxUnsigned unsigned documents, by name.
func (r *reports) trim() {
	slices.SortFunc(r.unsigned, byName)
	if excess := len(r.unsigned) - maxUnsigned; excess > 0 {
		r.unreported += excess
		r.unsigned = r.unsigned[:maxUnsigned]
	}
}

// all returns the reports in the order of their names.
func (r *reports) all() []InputReport {
	r.trim()
	all := append([]InputReport{}, r.unsigned...)
	for _, report := range r.signed {
		all = append(all, report)
	}
	slices.SortFunc(all, byName)
	return all
}

func byName(a, b InputReport) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Digest, b.Digest), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Detail, b.Detail))
}
