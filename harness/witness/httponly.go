package witness

import (
	"net/http"
	"os"

	"github.com/spf13/cobra"
)

const maxMarkerFile = 4096

// newHTTPOnlyCommand is a web server where a game should be: with the world mounted, the port open, and nobody able to
// play.
func newHTTPOnlyCommand() *cobra.Command {
	var listen, marker string
	command := &cobra.Command{
		Use:   "http-only --marker FILE",
		Short: "Serve a marker file over HTTP on a game's port, where there is no game",
		// A template may pass arguments that are meant for the game.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(command *cobra.Command, _ []string) error {
			return serve(command.Context(), listen, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				serveMarker(w, marker)
			}))
		},
	}
	command.Flags().StringVar(&listen, "listen", ":25565", "`address` to listen on")
	command.Flags().StringVar(&marker, "marker", "", "`file` to serve")
	_ = command.MarkFlagRequired("marker") // the flag exists
	return command
}

func serveMarker(w http.ResponseWriter, path string) {
	marker, err := os.ReadFile(path)
	if err != nil || len(marker) > maxMarkerFile {
		http.Error(w, "no marker", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(marker) // a client that is gone needs no answer
}
