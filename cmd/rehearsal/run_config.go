package main

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// runConfig rehearses the updates of a configuration file in an existing cluster.
func (o runOptions) runConfig(ctx context.Context, out, errOut io.Writer) error {
	log := newLogger(errOut)
	site, config, err := openSite(o.config, log)
	if err != nil {
		return err
	}
	id := existing.NewID()
	if o.dryRun {
		site.Plan(out, id)
		return nil
	}
	if o.key == "" {
		o.key = config.Key
	}
	signer, err := o.signer()
	if err != nil {
		return exit.Cannot(err)
	}
	if err := checkPolicy(config.Policy, signer); err != nil {
		return exit.Cannot(err)
	}
	dir := filepath.Join(config.Out, id)
	log.Info("run", "id", id, "receipts", dir)
	defer context.AfterFunc(ctx, func() { log.Warn("interrupted: writing receipts and removing what the run made, a few seconds") })()
	played, err := site.Play(ctx, existing.Options{ID: id, Dir: dir, Challenge: o.challenge, Signer: signer, Keep: o.keep})
	if preflight, ok := errors.AsType[*existing.PreflightError](err); ok {
		return exit.Cannot(preflight)
	}
	return both(o.reportPlayed(out, config, signer, played), err)
}

// both is the answer of a run that also failed. The answer may have no words: the output says it.
func both(answer, err error) error {
	if err == nil {
		return answer
	}
	if own, ok := errors.AsType[exit.Error](answer); ok {
		answer = own.Err
	}
	return exit.Failed(errors.Join(answer, err))
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return exit.Failed(err)
}

func passed(all []statement.Receipt) bool {
	return !slices.ContainsFunc(all, func(r statement.Receipt) bool { return r.Verdict != statement.Passed })
}

// reportPlayed prints what came of each candidate, and the policy's decision.
func (o runOptions) reportPlayed(out io.Writer, config runconfig.Config, signer crypto.Signer, played []existing.Played) error {
	ok := true
	for _, candidate := range played {
		report.Table(out, candidate.Receipts)
		if len(candidate.Receipts) == 0 || candidate.Receipts[0].Run.Scenario != statement.ScenarioUpdate {
			continue
		}
		update := candidate.Receipts[0]
		fmt.Fprintf(out, "\n%s: %s\n", printable.Line(candidate.Candidate.Name), existing.Summary(update))
		ok = ok && passed(candidate.Receipts) && update.Disposition.Promotable()
		if config.Policy != "" {
			promote, err := o.decideOn(out, config.Policy, signer, candidate)
			if err != nil {
				return exit.Cannot(err)
			}
			ok = ok && promote
		}
		fmt.Fprintf(out, "receipts: %s\n", candidate.Dir)
	}
	if !ok {
		return exit.Failed(nil)
	}
	return nil
}
