package statement

import (
	"fmt"
	"strings"
	"time"
)

// Header is what a receipt says of where it belongs: a cell of a run.
type Header struct {
	Run          string
	Challenge    string
	Architecture string
	Scenario     string
	Candidate    string // image digest
	Platform     string // digest of the architecture's manifest, where Candidate is an index
	FinishedAt   time.Time
}

// Header returns where the receipt belongs. It keeps nothing of the receipt in memory.
func (r *Receipt) Header() Header {
	own := strings.Clone // strings of a receipt share its memory
	return Header{
		Run:          own(r.Run.ID),
		Challenge:    own(r.Run.Challenge),
		Architecture: own(r.Environment.Architecture),
		Scenario:     own(r.Run.Scenario),
		Candidate:    own(r.Candidate.Digest),
		Platform:     own(r.Candidate.PlatformDigest),
		FinishedAt:   r.Run.FinishedAt,
	}
}

// CellName is how a sentence names the receipt's cell.
func (p Header) CellName() string {
	return Cell{Architecture: p.Architecture, Scenario: p.Scenario}.Name()
}

// Mismatches compares the header of a receipt with the cell that names it. It is empty where the receipt belongs there.
func (m *Manifest) Mismatches(cell Cell, p Header) []string {
	var found []string
	for _, fact := range []struct{ what, is, want string }{
		{"run", p.Run, m.Run},
		{"architecture", p.Architecture, cell.Architecture},
		{"scenario", p.Scenario, cell.Scenario},
		{"candidate", p.Candidate, cell.Candidate},
		{"platform", p.Platform, cell.Platform},
		{"challenge", p.Challenge, m.Challenge},
	} {
		if fact.is != fact.want {
			found = append(found, fmt.Sprintf("%s %q, not %q", fact.what, fact.is, fact.want))
		}
	}
	if p.FinishedAt.Before(m.StartedAt) || p.FinishedAt.After(m.FinishedAt) {
		found = append(found, fmt.Sprintf("finished at %s, outside the run", p.FinishedAt.Format(time.RFC3339)))
	}
	return found
}
