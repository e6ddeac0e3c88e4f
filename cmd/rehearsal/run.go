package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/suite"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

type runOptions struct {
	out       string
	suite     suite.Flags
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
outside and is deleted at the end. The images are built from source: run it inside a checkout of the module. The operator
is the project's own reference operator. With --operator gameplane it is Gameplane's, which is built from the source tree
that --operator-source names; the run then expects what that operator can do today.

Either way the run writes signed receipts, a manifest, and a timeline of every pod.

Exit codes: 0 every scenario came out as expected of the operator, and with --config every candidate passed and may be
promoted; 1 one did not, could not be played, or was interrupted; 2 usage, or a mistake in the configuration; 3 a file
cannot be read, or the cluster lacks something that a rehearsal needs.`,
		Example: `  rehearsal run --config update.yaml --dry-run
  rehearsal run --config update.yaml
  rehearsal run --scenario format-changing --keep
  rehearsal run --operator gameplane --operator-source ../gameplane`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return options.execute(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	options.register(cmd)
	return cmd
}

func (o *runOptions) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.out, "out", filepath.Join("out", "receipts"), "directory in which the run makes its directory")
	flags.StringSliceVar(&o.suite.Scenarios, "scenario", nil, "play only these (repeat or separate by commas): "+strings.Join(suite.Names(scenarios.Cases()), ", "))
	flags.StringVar(&o.suite.Operator, "operator", suite.Reference, "operator to install: "+suite.Reference+" or "+suite.Gameplane)
	flags.StringVar(&o.suite.Source, "operator-source", "", "`directory` of Gameplane's source tree, for --operator gameplane")
	flags.StringVar(&o.key, "key", "", "private key that signs the receipts (PEM); by default the run makes one")
	flags.StringVar(&o.challenge, "challenge", "", "nonce of a gate, which the receipts repeat")
	flags.StringVar(&o.nodeImage, "node-image", "", "`image` of the node; by default $"+nodeimage.EnvWant+", else one built here before, else kind's, else one built now")
	flags.BoolVar(&o.egress, "egress", false, "let the cluster reach the outside; the receipts say so")
	flags.BoolVar(&o.keep, "keep", false, "keep the cluster after the run, to look at it")
	flags.StringVar(&o.config, "config", "", "configuration `file` of your own update; excludes the flags of the suite")
	flags.BoolVar(&o.dryRun, "dry-run", false, "with --config: print what the run would make, read and leave alone")
	for _, name := range []string{"scenario", "node-image", "egress", "out", "operator", "operator-source"} {
		cmd.MarkFlagsMutuallyExclusive("config", name)
	}
}

func (o runOptions) execute(ctx context.Context, out, errOut io.Writer) error {
	if o.config != "" {
		return o.runConfig(ctx, out, errOut)
	}
	if o.dryRun {
		return exit.Usage("--dry-run needs --config")
	}
	return o.runSuite(ctx, out, errOut)
}
