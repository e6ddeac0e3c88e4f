package gate

import (
	"cmp"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// maxUnsigned is how many of the documents that not enough trusted keys signed are reported one by one. Anybody can add more of
// them, and must not claim memory with it.
const maxUnsigned = 1024

// reports keeps what is said of the inputs: of each signed document once, however many copies of it there are, and of a
// bounded number of others. Which ones these are does not depend on the order of the inputs.
type reports struct {
	taken    int // inputs
	left     int // inputs that have no report of their own
	signed   map[reported]InputReport
	unsigned []InputReport
}

// reported tells reports of signed documents apart: copies with other signatures may be judged otherwise.
type reported struct {
	digest string
	code   refusal.Code
}

func (r *reports) add(report InputReport) {
	r.taken++
	slices.Sort(report.SignedBy)
	if report.Digest == "" {
		r.unsigned = append(r.unsigned, report)
		if len(r.unsigned) >= 2*maxUnsigned {
			r.trim()
		}
		return
	}
	key := reported{report.Digest, report.Code}
	if copied, twice := r.signed[key]; twice {
		r.left++
		report.SignedBy = slices.Compact(slices.Sorted(slices.Values(append(report.SignedBy, copied.SignedBy...))))
		if byName(copied, report) < 0 {
			report.Name, report.Detail = copied.Name, copied.Detail
		}
	}
	r.signed[key] = report
}

// trim keeps the first of the unsigned documents, by name.
func (r *reports) trim() {
	slices.SortFunc(r.unsigned, byName)
	if more := len(r.unsigned) - maxUnsigned; more > 0 {
		r.left += more
		r.unsigned = r.unsigned[:maxUnsigned]
	}
}

// all are the reports, by name.
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
