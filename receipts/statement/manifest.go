package statement

import (
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// Manifest names every cell that a run had to play, and the receipt of each. A dropped, swapped or added receipt
// therefore shows. A manifest is signed like a receipt.
type Manifest struct {
	Run        string    `json:"run"`                 // the Run.ID of its receipts
	Challenge  string    `json:"challenge,omitempty"` // the gate's nonce, if it gave one
	Harness    string    `json:"harness"`
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	Cells      []Cell    `json:"cells"`
}

// Cell is one scenario on one architecture that a run has to play.
type Cell struct {
	Architecture string `json:"architecture"`
	Scenario     string `json:"scenario"`
	Candidate    string `json:"candidate"`          // image digest
	Platform     string `json:"platform,omitempty"` // digest of the architecture's image manifest, if Candidate is an index
	File         string `json:"file"`               // name of the receipt's file, for people
	// Receipt is the digest of the receipt (see Digest), or "" if the run ended before it wrote one.
	Receipt string `json:"receipt,omitempty"`
}

// Name returns "architecture/scenario".
func (c Cell) Name() string { return c.Architecture + "/" + c.Scenario }

// Validate refuses a manifest that contradicts itself.
func (m *Manifest) Validate() error {
	switch {
	case m.Run == "":
		return refusal.New(refusal.ManifestInvalid, "no run id")
	case len(m.Cells) == 0 || len(m.Cells) > MaxSubjects:
		return refusal.New(refusal.ManifestInvalid, "%d cells, want 1 to %d", len(m.Cells), MaxSubjects)
	case m.StartedAt.IsZero() || m.FinishedAt.Before(m.StartedAt):
		return refusal.New(refusal.ManifestInvalid, "finished before it started")
	}
	cells, digests := make(map[string]bool), make(map[string]bool)
	for _, cell := range m.Cells {
		switch {
		case cell.Architecture == "" || cell.Scenario == "" || cell.File == "":
			return refusal.New(refusal.ManifestInvalid, "cell %q without architecture, scenario or file", cell.Name())
		case !IsDigest(cell.Candidate):
			return refusal.New(refusal.ManifestInvalid, "cell %s: candidate %q is not a digest", cell.Name(), cell.Candidate)
		case cell.Platform != "" && !IsDigest(cell.Platform):
			return refusal.New(refusal.ManifestInvalid, "cell %s: platform %q is not a digest", cell.Name(), cell.Platform)
		case cell.Receipt != "" && !IsDigest(cell.Receipt):
			return refusal.New(refusal.ManifestInvalid, "cell %s: receipt %q is not a digest", cell.Name(), cell.Receipt)
		case cells[cell.Name()]:
			return refusal.New(refusal.ManifestInvalid, "cell %s twice", cell.Name())
		case cell.Receipt != "" && digests[cell.Receipt]:
			return refusal.New(refusal.ManifestInvalid, "cell %s: the receipt of another cell", cell.Name())
		}
		cells[cell.Name()], digests[cell.Receipt] = true, true
	}
	return nil
}
