package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/report"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/keyfile"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

type runOptions struct {
	out       string
	scenarios []string
	key       string
	challenge string
	nodeImage string
	egress    bool
	keep      bool
}

func newRunCommand() *cobra.Command {
	var options runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Play the scenarios in a separate cluster and write signed receipts",
		Long: `Plays the scenarios in a Kind cluster that it makes for them, side by side, each on a clone restored from the
same real backup. The cluster is closed to the outside, and the run deletes it at the end. The run leaves its receipts,
a signed manifest and a timeline of every pod in a new directory.

Run it inside a checkout of the module: it builds the fixture images from source.

Exit codes: 0 every scenario passed; 1 a scenario failed, could not be played or was interrupted; 2 usage;
3 the key cannot be read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return options.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.out, "out", filepath.Join("out", "receipts"), "directory in which the run makes its directory")
	flags.StringSliceVar(&options.scenarios, "scenario", nil, "play only these (repeat or separate by commas): "+strings.Join(names(scenarios.Cases()), ", "))
	flags.StringVar(&options.key, "key", "", "private key that signs the receipts (PEM); by default the run makes one")
	flags.StringVar(&options.challenge, "challenge", "", "nonce of a gate, which the receipts repeat")
	flags.StringVar(&options.nodeImage, "node-image", "", "`image` of the node; by default $"+nodeimage.EnvWant+", else one built here before, else kind's, else one built now")
	flags.BoolVar(&options.egress, "egress", false, "let the cluster reach the outside; the receipts say so")
	flags.BoolVar(&options.keep, "keep", false, "keep the cluster after the run, to look at it")
	return cmd
}

func (o runOptions) run(ctx context.Context, out, errOut io.Writer) (err error) {
	cases, err := o.cases()
	if err != nil {
		return exit.Usage("%w", err)
	}
	signer, err := o.signer()
	if err != nil {
		return exit.Cannot(err)
	}
	id := runID()
	dir := filepath.Join(o.out, id)
	log := newLogger(errOut)
	// Kubernetes' client logs by itself what it also returns: an error is told once, by who asked.
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	log.Info("run", "id", id, "receipts", dir)
	defer context.AfterFunc(ctx, func() { log.Warn("interrupted: writing receipts and deleting the cluster, a few seconds") })()

	stage, err := scenarios.Open(ctx, scenarios.Config{
		Cluster: cluster.Config{Name: id, NodeImage: o.nodeImage, Egress: o.egress},
		Out:     dir,
		Keep:    o.keep,
		Cases:   cases,
		Log:     log,
	})
	if err != nil {
		return exit.Failed(err)
	}
	defer func() {
		if closed := stage.Close(ctx); closed != nil {
			err = exit.Failed(errors.Join(err, fmt.Errorf("something is left behind (see rehearsal cleanup): %w", closed)))
		}
	}()
	played, err := play(ctx, stage, cases, rehearse.RunConfig{Dir: dir, ID: id, Challenge: o.challenge, Signer: signer})
	report.Table(out, played)
	if err == nil {
		err = report.Decisions(out, dir, signer.Public(), names(scenarios.Cases()), played)
	}
	fmt.Fprintf(out, "\nreceipts: %s\n", dir)
	switch {
	case ctx.Err() != nil:
		return exit.Failed(errors.Join(context.Cause(ctx), err))
	case err != nil:
		return exit.Failed(errors.Join(err, stage.Logs(ctx)))
	case !passed(played):
		return exit.Failed(errors.Join(errors.New("not every scenario passed"), stage.Logs(ctx)))
	}
	return nil
}

// play starts a fleet and rehearses the cases beside it. The manifest is written whatever happens.
func play(ctx context.Context, stage *scenarios.Stage, cases []scenarios.Case, config rehearse.RunConfig) ([]statement.Receipt, error) {
	run, err := stage.Begin(cases, config)
	if err != nil {
		return nil, err
	}
	fleet, err := stage.Fleet(ctx, "rehearsal")
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	played, err := scenarios.Play(ctx, fleet, run)
	return played, errors.Join(err, run.Close())
}

func passed(all []statement.Receipt) bool {
	return !slices.ContainsFunc(all, func(r statement.Receipt) bool { return r.Verdict != statement.Passed })
}

func (o runOptions) cases() ([]scenarios.Case, error) {
	all := scenarios.Cases()
	if len(o.scenarios) == 0 {
		return all, nil
	}
	var wanted []scenarios.Case
	for _, name := range o.scenarios {
		i := slices.Index(names(all), name)
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q: there are %s", name, strings.Join(names(all), ", "))
		}
		if slices.Contains(names(wanted), name) {
			return nil, fmt.Errorf("scenario %s is named twice", name)
		}
		wanted = append(wanted, all[i])
	}
	return wanted, nil
}

func names(cases []scenarios.Case) []string {
	out := make([]string, len(cases))
	for i, c := range cases {
		out[i] = c.Scenario
	}
	return out
}

// signer reads the key that was given, or makes one that is forgotten after the run.
func (o runOptions) signer() (crypto.Signer, error) {
	if o.key == "" {
		return dsse.GenerateKey(dsse.ECDSAP256)
	}
	return keyfile.Private(o.key)
}

// runID names a run: when it began, and enough letters that two of one second differ. It is a cluster's name, too.
func runID() string {
	return strings.ToLower(time.Now().UTC().Format("20060102-150405") + "-" + rand.Text()[:4])
}
