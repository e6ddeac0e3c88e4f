package receiptstest

import (
	"crypto"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Run is an unsigned run. A test may change it before it signs it.
type Run struct {
	ID           string
	Architecture string
	Challenge    string
	Shift        time.Duration // added to every time
	Receipts     []statement.Receipt
}

// NewRun returns a run of all Scenarios on an architecture, each PASSED.
func NewRun(architecture string) *Run {
	return RunOf(architecture, Scenarios()...)
}

// RunOf returns a run of some scenarios on an architecture, each PASSED.
func RunOf(architecture string, scenarios ...string) *Run {
	run := &Run{ID: "run-" + architecture, Architecture: architecture}
	for _, scenario := range scenarios {
		run.Receipts = append(run.Receipts, Observations(scenario, architecture))
	}
	return run
}

// Receipt returns the run's receipt of a scenario, or nil. The caller may change it.
func (r *Run) Receipt(scenario string) *statement.Receipt {
	for i := range r.Receipts {
		if r.Receipts[i].Run.Scenario == scenario {
			return &r.Receipts[i]
		}
	}
	return nil
}

// Sign signs the receipts and a manifest that names them all. It returns them under the names of their files.
func (r *Run) Sign(signers ...crypto.Signer) ([]gate.Input, error) {
	m := statement.Manifest{
		Run:        r.ID,
		Challenge:  r.Challenge,
		Harness:    "v1.0.0",
		StartedAt:  Time().Add(r.Shift),
		FinishedAt: Time().Add(r.Shift + 100*time.Second),
	}
	var inputs []gate.Input
	for _, receipt := range r.Receipts {
		receipt.Run.ID, receipt.Run.Challenge = r.ID, r.Challenge
		receipt = Shifted(receipt, r.Shift)
		raw, digest, err := attestation.SignReceipt(receipt, signers...)
		if err != nil {
			return nil, err
		}
		file := statement.ReceiptFile(receipt.Run.Scenario, r.Architecture)
		inputs = append(inputs, gate.Input{Name: file, Raw: raw})
		m.Cells = append(m.Cells, statement.Cell{
			Architecture: r.Architecture,
			Scenario:     receipt.Run.Scenario,
			Candidate:    receipt.Candidate.Digest,
			Platform:     receipt.Candidate.PlatformDigest,
			File:         file,
			Receipt:      digest,
		})
	}
	raw, _, err := attestation.SignManifest(m, signers...)
	if err != nil {
		return nil, err
	}
	return append(inputs, gate.Input{Name: statement.ManifestFile(r.Architecture), Raw: raw}), nil
}

// Shifted returns a copy of a receipt in which every time is shifted.
func Shifted(r statement.Receipt, by time.Duration) statement.Receipt {
	r = evaluation.Complete(r) // copies the lists too
	r.Run.StartedAt = r.Run.StartedAt.Add(by)
	r.Run.FinishedAt = r.Run.FinishedAt.Add(by)
	for i := range r.Checkpoints {
		r.Checkpoints[i].At = r.Checkpoints[i].At.Add(by)
	}
	for i := range r.Spans {
		r.Spans[i].Start = r.Spans[i].Start.Add(by)
	}
	return r
}
