package cluster

import (
	"context"
	"fmt"
)

// Logs writes the logs of the node and of all pods into dir, which is made.
func (c *Cluster) Logs(ctx context.Context, dir string) error {
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
