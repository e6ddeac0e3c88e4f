package gate

import (
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// Causes leaves out the reasons that follow from others: where a receipt does not count, its cell is missing too, and
// the candidate was not rehearsed.
func Causes(reasons []Reason) []Reason {
	explained := make(map[string]bool) // cells, and their architectures
	for _, reason := range reasons {
		if reason.Cell != "" && !reason.follows() {
			architecture, _, _ := strings.Cut(reason.Cell, "/")
			explained[reason.Cell], explained[architecture] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(reason Reason) bool {
		return reason.follows() && explained[reason.Cell]
	})
}

// follows says whether another reason may have led to this one.
func (r Reason) follows() bool {
	return r.Code == refusal.CandidateNotRehearsed || r.Code == refusal.RequiredCellMissing
}
