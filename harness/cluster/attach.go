package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// Attach takes over a cluster of an earlier run by its name. It starts the
// containers that do not run and sets Egress anew. If the registry had stopped,
// images must be pushed again. The error is docker.ErrNoEngine if no engine
// answers, ErrNotFound if the harness has no such cluster, and ErrInUse if a live
// process holds it.
func Attach(ctx context.Context, config Config) (*Cluster, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	server, err := docker.Ping(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{config: config, arch: server.Arch}
	if c.entry, err = takeUp(ctx, config); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", config.Name, err)
	}
	if err := c.attach(ctx, nodeName(config.Name)); err != nil {
		c.entry.release()
		return nil, fmt.Errorf("attach to cluster %s: %w", config.Name, err)
	}
	return c, nil
}

// takeUp locks the cluster's entry and records the state directory.
func takeUp(ctx context.Context, config Config) (*entry, error) {
	path, err := entryPath(config.Name)
	if err != nil {
		return nil, err
	}
	e, err := makeEntry(path)
	if errors.Is(err, errLocked) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, err
	}
	err = findOurs(ctx, config.Name)
	if err == nil {
		err = e.add(config.StateDir)
	}
	if err != nil {
		e.leave()
		return nil, err
	}
	return e, nil
}

// findOurs returns ErrNotFound unless the engine has a node and a registry of this
// name that the harness made.
func findOurs(ctx context.Context, name string) error {
	nodes, err := findNodes(ctx, name)
	if err != nil {
		return err
	}
	registries, err := findContainers(ctx, ownerRegistry, clusterLabel+"="+name)
	if err != nil {
		return err
	}
	if len(nodes) == 0 || len(registries) == 0 {
		return ErrNotFound
	}
	return nil
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
