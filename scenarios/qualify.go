package scenarios

import (
	"context"
	"crypto"
	"errors"
	"sync"

	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts"
)

// Qualification says what Qualify writes and where.
type Qualification struct {
	Dir       string // for receipts, journals and the manifest
	ID        string // of the run
	Challenge string // the gate's nonce, "" where it gave none
	Signer    crypto.Signer
}

// Qualify plays cases side by side, each on a clone of its own, and writes their receipts and the run's manifest.
// It returns the receipts in the order of the cases. An error says that evidence could not be written; what became
// of a case is in its receipt.
func (s *Stage) Qualify(ctx context.Context, fleet *rehearse.Fleet, cases []Case, q Qualification) ([]receipts.Receipt, error) {
	updates := make([]rehearse.Update, len(cases))
	for i, c := range cases {
		updates[i] = rehearse.Update{Scenario: c.Scenario, Candidate: s.Image(c.Candidate)}
	}
	run, err := rehearse.NewRun(rehearse.RunConfig{
		Dir:          q.Dir,
		ID:           q.ID,
		Challenge:    q.Challenge,
		Signer:       q.Signer,
		Architecture: s.environment.Architecture,
		Updates:      updates,
	})
	if err != nil {
		return nil, err
	}
	played := make([]receipts.Receipt, len(cases))
	failures := make([]error, len(cases))
	var group sync.WaitGroup
	for i, update := range updates {
		group.Go(func() { played[i], failures[i] = fleet.Rehearse(ctx, run, update) })
	}
	group.Wait()
	return played, errors.Join(errors.Join(failures...), run.Close())
}
