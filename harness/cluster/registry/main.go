// Command registry is the image registry of a rehearsal's cluster: this machine
// pushes over loopback, the node pulls. It stores blobs on disk and manifests in
// memory.
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

// The node may reach only the first port. The second one listens too, so that a
// refused connection proves that the node's egress is closed.
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
