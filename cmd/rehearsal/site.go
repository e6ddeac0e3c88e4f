package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"k8s.io/klog/v2"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/existing"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
)

// openSite reads a configuration file and the kubeconfig that it names.
func openSite(path string, log *slog.Logger) (*existing.Site, runconfig.Config, error) {
	config, err := runconfig.Load(path)
	if mistakes, ok := errors.AsType[runconfig.Mistakes](err); ok {
		return nil, config, exit.Usage("%w", mistakes)
	}
	if err != nil {
		return nil, config, exit.Cannot(err)
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // an error is reported once, by the caller
	site, err := existing.Open(config, log)
	if err != nil {
		return nil, config, exit.Cannot(err)
	}
	return site, config, nil
}

// cleanupDeadline bounds the removal of what runs have left in an existing cluster.
const cleanupDeadline = 5 * time.Minute

func cleanupSite(ctx context.Context, out, errOut io.Writer, config string) error {
	site, _, err := openSite(config, newLogger(errOut))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cleanupDeadline)
	defer cancel()
	removed, err := site.Cleanup(ctx, "")
	for _, name := range removed {
		fmt.Fprintln(out, "removed", name)
	}
	if len(removed) == 0 && err == nil {
		fmt.Fprintln(out, "nothing to remove")
	}
	return failed(err)
}
