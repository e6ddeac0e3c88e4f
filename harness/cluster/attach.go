package cluster

import (
	"context"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// Attach takes up a cluster that an earlier run has kept, by its name. Its
// containers are started if they are not running; Egress is set anew; images
// must be pushed again if the registry had stopped. The error is
// docker.ErrNoEngine if there is no engine and ErrNotFound if there is no such
// cluster.
func Attach(ctx context.Context, config Config) (*Cluster, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	server, err := docker.Ping(ctx)
	if err != nil {
		return nil, err
	}
	node := nodeName(config.Name)
	found, err := docker.Lines(ctx, "ps", "--all", "--quiet", "--filter", "label="+nodeLabel+"="+config.Name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("cluster %s: %w", config.Name, ErrNotFound)
	}
	c := &Cluster{config: config, arch: server.Arch}
	if err := c.attach(ctx, node); err != nil {
		return nil, fmt.Errorf("attach to cluster %s: %w", config.Name, err)
	}
	return c, nil
}

func (c *Cluster) attach(ctx context.Context, node string) error {
	_, err := docker.Output(ctx, "start", node, registryName(c.config.Name))
	if err != nil {
		return err
	}
	if c.image, err = docker.Output(ctx, "inspect", "--format", "{{.Config.Image}}", node); err != nil {
		return err
	}
	if c.registry, err = findRegistry(ctx, c.config.Name); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	if err := os.MkdirAll(c.config.StateDir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	// The published port changes when the engine restarts.
	if err := newProvider(c.config.Log).ExportKubeConfig(c.config.Name, c.Kubeconfig(), false); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	return c.connect(ctx)
}
