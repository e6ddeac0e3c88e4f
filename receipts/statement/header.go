package statement

import (
	"fmt"
	"strings"
	"time"
)

// Header says to which cell of which run a receipt belongs.
type Header struct {
	Run          string
	Challenge    string
	Architecture string
	Scenario     string
	Candidate    string // image digest
	Platform     string // digest of the architecture's image manifest, if Candidate is an index
	FinishedAt   time.Time
}

// Header returns the header of the receipt. It holds no memory of the receipt.
func (r *Receipt) Header() Header {
	clone := strings.Clone // strings of a receipt share its memory
	return Header{
		Run:          clone(r.Run.ID),
		Challenge:    clone(r.Run.Challenge),
		Architecture: clone(r.Environment.Architecture),
		Scenario:     clone(r.Run.Scenario),
		Candidate:    clone(r.Candidate.Digest),
		Platform:     clone(r.Candidate.PlatformDigest),
		FinishedAt:   r.Run.FinishedAt,
	}
}

// CellName returns the name of the receipt's cell: see Cell.Name.
func (h Header) CellName() string {
	return Cell{Architecture: h.Architecture, Scenario: h.Scenario}.Name()
}

// Mismatches compares the header of a receipt with the cell that names the receipt, and describes each difference. It
// returns nothing if the receipt belongs to the cell.
func (m *Manifest) Mismatches(cell Cell, h Header) []string {
	var mismatches []string
	for _, field := range []struct{ name, got, want string }{
		{"run", h.Run, m.Run},
		{"architecture", h.Architecture, cell.Architecture},
		{"scenario", h.Scenario, cell.Scenario},
		{"candidate", h.Candidate, cell.Candidate},
		{"platform", h.Platform, cell.Platform},
		{"challenge", h.Challenge, m.Challenge},
	} {
		if field.got != field.want {
			mismatches = append(mismatches, fmt.Sprintf("%s %q, not %q", field.name, field.got, field.want))
		}
	}
	if h.FinishedAt.Before(m.StartedAt) || h.FinishedAt.After(m.FinishedAt) {
		mismatches = append(mismatches, fmt.Sprintf("finished at %s, outside the run", h.FinishedAt.Format(time.RFC3339)))
	}
	return mismatches
}
