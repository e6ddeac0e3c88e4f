package cluster

import (
	"context"
	"fmt"
	"os"
)

// Logs writes the logs of the node and of all pods into dir, and creates dir. Only
// its owner can read it: games may print private data.
func (c *Cluster) Logs(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("logs of %s: %w", c.config.Name, err)
	}
	// An existing directory may have wider permissions.
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("logs of %s: %w", c.config.Name, err)
	}
	done := make(chan error, 1)
	go func() { done <- newProvider(c.config.Log).CollectLogs(c.config.Name, dir) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("logs of %s: %w", c.config.Name, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("logs of %s: %w", c.config.Name, context.Cause(ctx))
	}
}
