package scenarios

import (
	"context"
	"errors"

	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/stage"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Begin begins a run of the cases. The manifest, which Close writes, names every case, even one that is never played. Begin
// sets the Architecture and the Updates of the configuration.
func Begin(on *stage.Stage, cases []Case, config rehearse.RunConfig) (*rehearse.Run, error) {
	config.Architecture, config.Updates = on.Environment().Architecture, nil
	for _, c := range cases {
		config.Updates = append(config.Updates, rehearse.Update{Scenario: c.Scenario, Candidate: on.Image(c.Candidate)})
	}
	return rehearse.NewRun(config)
}

// Qualify starts a fleet in a namespace of the stage, rehearses the cases there, and writes the manifest whatever happens.
func Qualify(ctx context.Context, on *stage.Stage, namespace string, cases []Case, config rehearse.RunConfig) ([]statement.Receipt, error) {
	run, err := Begin(on, cases, config)
	if err != nil {
		return nil, err
	}
	fleet, err := on.Fleet(ctx, namespace)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	played, err := fleet.Play(ctx, run, len(cases))
	return played, errors.Join(err, run.Close())
}
