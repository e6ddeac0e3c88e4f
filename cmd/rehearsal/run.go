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
	"github.com/GameplanePanel/rehearsal/harness/stage"
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
	config    string
	dryRun    bool
}

func newRunCommand() *cobra.Command {
	var options runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Rehearse your update in your cluster, or qualify the suite in a new one; write signed receipts",
		Long: `With --config, rehearse the update of a running server in the cluster where it runs: copies of the server are
restored from its Backup next to it, updated, joined by a player, rolled back, and removed. The server itself is only
watched. Begin with "rehearsal config init".

Without --config, play the suite's scenarios with games made for tests in a new Kind cluster, which is closed to the
outside and is deleted at the end. The images are built from source: run it inside a checkout of the module.

Either way the run writes signed receipts, a manifest, and a timeline of every pod.

Exit codes: 0 every scenario passed, and with --config every candidate may be promoted; 1 one did not, could not be
played, or was interrupted; 2 usage, or a mistake in the configuration; 3 a file cannot be read, or the cluster lacks
something that a rehearsal needs.`,
		Example: `  rehearsal run --config update.yaml --dry-run
  rehearsal run --config update.yaml
  rehearsal run --scenario format-changing --keep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.config != "" {
				return options.runConfig(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if options.dryRun {
				return exit.Usage("--dry-run needs --config")
			}
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
	flags.StringVar(&options.config, "config", "", "configuration `file` of your own update; excludes the flags of the suite")
	flags.BoolVar(&options.dryRun, "dry-run", false, "with --config: print what the run would make, read and leave alone")
	for _, suite := range []string{"scenario", "node-image", "egress", "out"} {
		cmd.MarkFlagsMutuallyExclusive("config", suite)
	}
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

	on, err := stage.Open(ctx, stage.Config{
		Cluster: cluster.Config{Name: id, NodeImage: o.nodeImage, Egress: o.egress},
		Out:     dir,
		Keep:    o.keep,
		Games:   scenarios.Games(cases),
		Log:     log,
	})
	if err != nil {
		return exit.Failed(err)
	}
	defer func() {
		if closed := on.Close(ctx); closed != nil {
			err = exit.Failed(errors.Join(err, fmt.Errorf("something is left behind (see rehearsal cleanup): %w", closed)))
		}
	}()
	played, err := scenarios.Qualify(ctx, on, "rehearsal", cases, rehearse.RunConfig{Dir: dir, ID: id, Challenge: o.challenge, Signer: signer})
	report.Table(out, played)
	if err == nil {
		err = report.Decisions(out, dir, signer.Public(), names(scenarios.Cases()), played)
	}
	fmt.Fprintf(out, "\nreceipts: %s\n", dir)
	switch {
	case ctx.Err() != nil:
		return exit.Failed(errors.Join(context.Cause(ctx), err))
	case err != nil:
		return exit.Failed(errors.Join(err, on.Logs(ctx)))
	case !passed(played):
		return exit.Failed(errors.Join(errors.New("not every scenario passed"), on.Logs(ctx)))
	}
	return nil
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
