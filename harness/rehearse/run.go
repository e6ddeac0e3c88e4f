package rehearse

import (
	"crypto"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// RunConfig configures a run.
type RunConfig struct {
	Dir          string // NewRun creates it if necessary; it must not hold files of another run
	ID           string
	Challenge    string // the gate's nonce, "" if it gave none
	Architecture string
	Updates      []Update // every update that the run has to play
	Signer       crypto.Signer
}

// Run is a set of rehearsals whose receipts belong together. A signed manifest names every update of the run and its
// receipt, so that a dropped or swapped receipt shows.
type Run struct {
	RunConfig
	started time.Time

	mu    sync.Mutex
	cells []statement.Cell
}

// NewRun begins a run. It refuses updates that a manifest cannot name: none at all, two of one scenario, or a candidate
// that is not a reference by digest.
func NewRun(config RunConfig) (*Run, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("run %s: %w", config.ID, err)
	}
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("directory for receipts: %w", err)
	}
	var old []string
	for _, pattern := range []string{"*.intoto.json", "*.journal.jsonl"} {
		found, err := filepath.Glob(filepath.Join(config.Dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("directory for receipts: %w", err)
		}
		old = append(old, found...)
	}
	if len(old) > 0 {
		return nil, fmt.Errorf("directory for receipts: %s holds files of an earlier run (%s …): choose another directory, or move them away", config.Dir, filepath.Base(old[0]))
	}
	run := &Run{RunConfig: config, started: time.Now().UTC()}
	for _, update := range config.Updates {
		run.cells = append(run.cells, statement.Cell{
			Architecture: config.Architecture,
			Scenario:     update.Scenario,
			Candidate:    statement.ImageDigest(update.Candidate.Ref),
			File:         statement.ReceiptFile(update.Scenario, config.Architecture),
		})
	}
	return run, nil
}

func (c RunConfig) validate() error {
	if c.ID == "" || c.Architecture == "" || c.Signer == nil || len(c.Updates) == 0 {
		return errors.New("want an id, an architecture, a signer and at least one update")
	}
	scenarios := make(map[string]bool)
	for _, update := range c.Updates {
		if scenarios[update.Scenario] {
			return fmt.Errorf("scenario %s twice", update.Scenario)
		}
		scenarios[update.Scenario] = true
		if !statement.IsDigest(statement.ImageDigest(update.Candidate.Ref)) {
			return fmt.Errorf("scenario %s: candidate %q is not a reference by digest", update.Scenario, update.Candidate.Ref)
		}
	}
	return nil
}

// expects refuses an update that does not belong to the run, because the manifest could not name its receipt.
func (r *Run) expects(update Update) error {
	for _, expected := range r.Updates {
		if expected.Scenario == update.Scenario && expected.Candidate.Ref == update.Candidate.Ref {
			return nil
		}
	}
	return fmt.Errorf("scenario %s with candidate %s is not part of run %s", update.Scenario, update.Candidate.Ref, r.ID)
}

// Close signs and writes the manifest. It also names the updates that have no receipt.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := rundir.WriteManifest(r.Dir, r.Architecture, statement.Manifest{
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
func (r *Run) add(receipt statement.Receipt) (digest string, err error) {
	cell, err := rundir.WriteReceipt(r.Dir, receipt, r.Signer)
	if err != nil {
		return "", err
	}
	if err := rundir.WriteTestResult(r.Dir, receipt, cell, r.Signer); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.cells, func(c statement.Cell) bool { return c.Scenario == cell.Scenario })
	r.cells[i].Platform, r.cells[i].Receipt = cell.Platform, cell.Receipt // NewRun has set the rest
	return cell.Receipt, nil
}

// journal opens the rollout journal of one update.
func (r *Run) journal(scenario string) (*journal.Writer, error) {
	return journal.Open(filepath.Join(r.Dir, statement.JournalFile(scenario, r.Architecture)))
}
