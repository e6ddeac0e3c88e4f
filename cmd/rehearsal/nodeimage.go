package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
)

func newNodeimageCommand() *cobra.Command {
	var options nodeimage.Options
	command := &cobra.Command{
		Use:   "nodeimage",
		Short: "Find or build the image that the cluster's node runs, and print its name",
		Long: `Finds or builds the node image in the Docker engine, and prints its name.

By default it takes the first of these:
  - the offline image of an earlier build;
  - kind's default image, pinned by digest;
  - where it can pull nothing, an image that it builds offline from Debian's packages and the Go module cache.
The build needs root and debootstrap (scripts/setup installs it). The first build takes about 20 CPU minutes.

Exit codes: 0 the image is there, 1 there is no image, 2 usage.`,
		Example: `  rehearsal nodeimage
  rehearsal nodeimage --want offline
  rehearsal nodeimage --want kindest/node:v1.36.3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Log = newLogger(cmd.ErrOrStderr())
			image, err := nodeimage.Resolve(cmd.Context(), options)
			if err != nil {
				return exit.Failed(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), image.Ref)
			return nil
		},
	}
	command.Flags().StringVar(&options.Want, "want", "",
		fmt.Sprintf("%q, %q, %q or an image reference (default $%s, else %q)",
			nodeimage.Auto, nodeimage.Pull, nodeimage.Offline, nodeimage.EnvWant, nodeimage.Auto))
	command.Flags().BoolVar(&options.NoBuild, "no-build", false, "fail where it would have to build an image")
	command.Flags().StringVar(&options.CacheDir, "cache-dir", "", "directory that builds share (default: rehearsal in the user's cache directory)")
	return command
}
