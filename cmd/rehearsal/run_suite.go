package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"k8s.io/klog/v2"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/suite"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/harness/stage"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

// runSuite plays the suite in a new cluster.
func (o runOptions) runSuite(ctx context.Context, out, errOut io.Writer) (err error) {
	plays, err := suite.New(o.suite)
	if err != nil {
		return err
	}
	signer, err := o.signer()
	if err != nil {
		return exit.Cannot(err)
	}
	id := existing.NewID() // also the name of the cluster
	dir := filepath.Join(o.out, id)
	log := newLogger(errOut)
	// Kubernetes' client logs by itself what it also returns: an error is told once, by who asked.
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	log.Info("run", "id", id, "receipts", dir)
	defer context.AfterFunc(ctx, func() { log.Warn("interrupted: writing receipts and deleting the cluster, a few seconds") })()

	on, err := stage.Open(ctx, stage.Config{
		Cluster:  cluster.Config{Name: id, NodeImage: o.nodeImage, Egress: o.egress},
		Out:      dir,
		Keep:     o.keep,
		Games:    scenarios.Games(plays.Cases),
		Operator: plays.Operator,
		Log:      log,
	})
	if err != nil {
		return exit.Failed(err)
	}
	defer func() {
		if closed := on.Close(ctx); closed != nil {
			err = exit.Failed(errors.Join(err, fmt.Errorf("something is left behind (see rehearsal cleanup): %w", closed)))
		}
	}()
	played, err := scenarios.Qualify(ctx, on, "rehearsal", plays.Cases, rehearse.RunConfig{Dir: dir, ID: id, Challenge: o.challenge, Signer: signer})
	report.Table(out, played)
	if err == nil {
		err = report.Decisions(out, dir, signer.Public(), plays.All, played)
	}
	asExpected := err == nil && ctx.Err() == nil && plays.Compare(out, played)
	fmt.Fprintf(out, "\nreceipts: %s\n", dir)
	switch {
	case ctx.Err() != nil:
		return exit.Failed(errors.Join(context.Cause(ctx), err))
	case err != nil:
		return exit.Failed(errors.Join(err, on.Logs(ctx)))
	case !asExpected:
		return exit.Failed(errors.Join(errors.New("not every scenario came out as expected"), on.Logs(ctx)))
	}
	return nil
}
