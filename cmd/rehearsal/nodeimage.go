package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
)

func newNodeimageCommand() *cobra.Command {
	var options nodeimage.Options
	command := &cobra.Command{
		Use:   "nodeimage",
		Short: "Find or build the image that the cluster's node runs, and print its name",
		Long: `Nodeimage makes sure that a node image is in the Docker engine and prints its name.

By default that is the offline image of an earlier build, else kind's own default image, pinned by
digest, else, where nothing can be pulled, an image built offline from Debian's packages and the Go
module cache. The build needs root, debootstrap (scripts/setup installs it) and, the first time,
about 20 CPU minutes.

Exit codes: 0 the image is there, 1 it could not be had, 2 usage.`,
		Example: `  rehearsal nodeimage
  rehearsal nodeimage --want offline
  rehearsal nodeimage --want kindest/node:v1.36.3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options.Log = newLogger(cmd.ErrOrStderr())
			image, err := nodeimage.Resolve(cmd.Context(), options)
			if err != nil {
				return exitError{code: exitFailed, err: err}
			}
			fmt.Fprintln(cmd.OutOrStdout(), image.Ref)
			return nil
		},
	}
	command.Flags().StringVar(&options.Want, "want", "",
		fmt.Sprintf("%q, %q, %q or an image reference (default $%s, else %q)",
			nodeimage.Auto, nodeimage.Pull, nodeimage.Offline, nodeimage.EnvWant, nodeimage.Auto))
	command.Flags().BoolVar(&options.NoBuild, "no-build", false, "fail where an image would have to be built")
	command.Flags().StringVar(&options.CacheDir, "cache-dir", "", "directory kept between builds (default: rehearsal in the user's cache directory)")
	return command
}
