package witness

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// serve answers HTTP on an address until the context ends.
func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 30 * time.Second}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
