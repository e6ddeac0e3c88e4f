package witness

import (
	"fmt"

	restserver "github.com/restic/rest-server"
	"github.com/spf13/cobra"
)

// newRepositoryCommand serves a restic repository: what restic's own rest-server does, from its own code.
func newRepositoryCommand() *cobra.Command {
	var server restserver.Server
	var listen string
	command := &cobra.Command{
		Use:   "repository --path DIRECTORY --htpasswd-file FILE",
		Short: "Serve a restic repository that only takes data in",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			server.AppendOnly, server.PanicOnError = true, true
			handler, err := restserver.NewHandler(&server)
			if err != nil {
				return fmt.Errorf("repository: %w", err)
			}
			return serve(command.Context(), listen, handler)
		},
	}
	command.Flags().StringVar(&listen, "listen", ":8000", "`address` to listen on")
	command.Flags().StringVar(&server.Path, "path", "", "`directory` of the repository")
	command.Flags().StringVar(&server.HtpasswdPath, "htpasswd-file", "", "`file` with the logins")
	_ = command.MarkFlagRequired("path") // the flags exist
	_ = command.MarkFlagRequired("htpasswd-file")
	return command
}
