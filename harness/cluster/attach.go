package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// Attach takes up a cluster that an earlier run has kept, by its name. Its
// containers are started if they are not running; Egress is set anew; images
// must be pushed again if the registry had stopped. The error is
// docker.ErrNoEngine if there is no engine, ErrNotFound if there is no such cluster
// of ours and ErrInUse if a live process has it.
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

// takeUp locks the entry of a cluster of ours and records the state directory.
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

// findOurs returns ErrNotFound unless the engine has a node and a registry of ours
// by that name.
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
