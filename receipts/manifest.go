package receipts

import (
	"cmp"
	"crypto"
	"slices"
	"time"
)

// Manifest names every receipt of a run and every cell that the run was to fill, so that none can be dropped,
// swapped or added unnoticed. It is signed like a receipt.
type Manifest struct {
	Run        string    `json:"run"`                 // the Run.ID of its receipts
	Challenge  string    `json:"challenge,omitempty"` // the gate's nonce, where it gave one
	Harness    string    `json:"harness"`
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	Cells      []Cell    `json:"cells"`
}

// Cell is one scenario on one architecture, expected of a run.
type Cell struct {
	Architecture string `json:"architecture"`
	Scenario     string `json:"scenario"`
	Candidate    string `json:"candidate"`          // image digest
	Platform     string `json:"platform,omitempty"` // digest of the architecture's manifest, where Candidate is an index
	File         string `json:"file"`               // name of the receipt's file, for people
	// Receipt is the digest of the receipt (see Digest), "" where the run did not get to write one.
	Receipt string `json:"receipt,omitempty"`
}

// Name is how a cell is written in a sentence.
func (c Cell) Name() string { return c.Architecture + "/" + c.Scenario }

// SignManifest signs a manifest. It returns the envelope and the manifest's digest. Cells are put in order.
// A manifest that contradicts itself is refused with CodeManifestInvalid.
func SignManifest(m Manifest, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	m = normalized(m)
	slices.SortFunc(m.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Architecture, b.Architecture), cmp.Compare(a.Scenario, b.Scenario))
	})
	if err := m.Validate(); err != nil {
		return nil, "", err
	}
	return sign(ManifestType, m.Subjects(), m, signers)
}

// Subjects are the receipts, and the candidates that have none.
func (m *Manifest) Subjects() []Subject {
	subjects := make([]Subject, 0, len(m.Cells))
	for _, cell := range m.Cells {
		if cell.Receipt != "" {
			subjects = append(subjects, subject(cell.File, cell.Receipt))
		} else {
			subjects = append(subjects, subject(cell.File, cell.Candidate))
		}
	}
	return subjects
}

func (m *Manifest) Validate() error {
	switch {
	case m.Run == "":
		return refuse(CodeManifestInvalid, "no run id")
	case len(m.Cells) == 0 || len(m.Cells) > maxSubjects:
		return refuse(CodeManifestInvalid, "%d cells, want 1 to %d", len(m.Cells), maxSubjects)
	case m.StartedAt.IsZero() || m.FinishedAt.Before(m.StartedAt):
		return refuse(CodeManifestInvalid, "finished before it started")
	}
	cells, digests := make(map[string]bool), make(map[string]bool)
	for _, cell := range m.Cells {
		switch {
		case cell.Architecture == "" || cell.Scenario == "" || cell.File == "":
			return refuse(CodeManifestInvalid, "cell %q without architecture, scenario or file", cell.Name())
		case !IsDigest(cell.Candidate):
			return refuse(CodeManifestInvalid, "cell %s: candidate %q is not a digest", cell.Name(), cell.Candidate)
		case cell.Platform != "" && !IsDigest(cell.Platform):
			return refuse(CodeManifestInvalid, "cell %s: platform %q is not a digest", cell.Name(), cell.Platform)
		case cell.Receipt != "" && !IsDigest(cell.Receipt):
			return refuse(CodeManifestInvalid, "cell %s: receipt %q is not a digest", cell.Name(), cell.Receipt)
		case cells[cell.Name()]:
			return refuse(CodeManifestInvalid, "cell %s twice", cell.Name())
		case cell.Receipt != "" && digests[cell.Receipt]:
			return refuse(CodeManifestInvalid, "cell %s: the receipt of another cell", cell.Name())
		}
		cells[cell.Name()], digests[cell.Receipt] = true, true
	}
	return nil
}
