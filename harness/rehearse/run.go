package rehearse

import (
	"crypto"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// RunConfig says what a run is to fill its directory with.
type RunConfig struct {
	Dir          string // made if need be; must not hold receipts of another run
	ID           string
	Challenge    string // the gate's nonce, "" where it gave none
	Architecture string
	Updates      []Update // every case that the run is expected to play
	Signer       crypto.Signer
}

// Run is a set of rehearsals whose receipts belong together: a signed manifest names every one of them, and every
// case that was expected, so that none can be dropped or swapped afterwards.
type Run struct {
	RunConfig
	started time.Time

	mu    sync.Mutex
	cells []receipts.Cell
}

// NewRun begins a run.
func NewRun(config RunConfig) (*Run, error) {
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("directory for receipts: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(config.Dir, "*.intoto.json"))
	if err != nil {
		return nil, fmt.Errorf("directory for receipts: %w", err)
	}
	if len(old) > 0 {
		return nil, fmt.Errorf("directory for receipts: %s holds those of an earlier run (%s …): choose another, or move them away", config.Dir, filepath.Base(old[0]))
	}
	run := &Run{RunConfig: config, started: time.Now().UTC()}
	for _, update := range config.Updates {
		run.cells = append(run.cells, receipts.Cell{
			Architecture: config.Architecture,
			Scenario:     update.Scenario,
			Candidate:    receipts.ImageDigest(update.Candidate.Ref),
			File:         receipts.ReceiptFile(update.Scenario, config.Architecture),
		})
	}
	return run, nil
}

// Close signs and writes the manifest. A case without a receipt stays in it as one.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := receipts.WriteManifest(r.Dir, r.Architecture, receipts.Manifest{
		Run:        r.ID,
		Challenge:  r.Challenge,
		Harness:    Version(),
		StartedAt:  r.started,
		FinishedAt: time.Now().UTC(),
		Cells:      r.cells,
	}, r.Signer)
	return err
}

// add signs and writes a receipt and its test result, and returns the receipt's digest.
func (r *Run) add(receipt receipts.Receipt) (digest string, err error) {
	cell, err := receipts.WriteReceipt(r.Dir, receipt, r.Signer)
	if err != nil {
		return "", err
	}
	if err := receipts.WriteTestResult(r.Dir, receipt, cell, r.Signer); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.cells {
		if r.cells[i].Scenario == cell.Scenario {
			r.cells[i] = cell
			return cell.Receipt, nil
		}
	}
	return "", fmt.Errorf("scenario %s is not part of the run", cell.Scenario)
}

// journal opens the rollout journal of one case.
func (r *Run) journal(scenario string) (*receipts.Journal, error) {
	return receipts.OpenJournal(filepath.Join(r.Dir, receipts.JournalFile(scenario, r.Architecture)))
}
