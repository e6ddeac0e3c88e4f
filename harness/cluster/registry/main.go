// Command registry is the image registry of a rehearsal's cluster: pushes come in
// over loopback, pulls from the node. It keeps blobs on disk, manifests in memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// The node may reach the first of the two alone. The second is there to be
// refused: it proves that the node's egress is closed, and not that nobody listens.
const (
	pulls   = ":5000"
	control = ":5001"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "registry: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	blobs, err := os.MkdirTemp("", "blobs-")
	if err != nil {
		return err
	}
	handler := registry.New(
		registry.WithBlobHandler(registry.NewDiskBlobHandler(blobs)),
		registry.Logger(log.New(os.Stderr, "", log.LstdFlags)),
	)
	failed := make(chan error, 2)
	for address, serve := range map[string]http.Handler{pulls: handler, control: http.NotFoundHandler()} {
		server := &http.Server{Addr: address, Handler: serve, ReadHeaderTimeout: 10 * time.Second}
		defer server.Close()
		go func() { failed <- server.ListenAndServe() }()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}
}
