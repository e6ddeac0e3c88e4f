// Package cluster makes, and takes away again, the Kubernetes cluster of a
// rehearsal: one kind node, a registry beside it for images built on this
// machine, and no way out.
//
// A cluster touches nothing of the user's: its kubeconfig is a file of its own,
// its containers carry our name and label, and only those are ever removed.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
)

// Errors that callers may decide on.
var (
	// ErrExists means that Create found a cluster of the name.
	ErrExists = errors.New("a cluster of this name exists already")
	// ErrNotFound means that Attach found none.
	ErrNotFound = errors.New("no cluster of this name")
	// ErrInUse means that Attach found one that a live process has.
	ErrInUse = errors.New("the cluster is in use by a run at work")
)

const (
	// readyDeadline is for a busy machine; an idle one takes a tenth of it.
	readyDeadline  = 5 * time.Minute
	deleteDeadline = 2 * time.Minute
)

// Cluster is a running cluster.
type Cluster struct {
	config   Config
	entry    *entry // held as long as the cluster is in use
	image    string
	arch     string
	emulated bool
	rest     *rest.Config
	registry registry
	egress   Egress
}

// Create makes a cluster and waits until it is ready for work. When it fails, the
// cluster's logs are in StateDir/logs; then, or when ctx ends, nothing of it runs
// on unless Config.Retain is set. The error is docker.ErrNoEngine if there is no
// engine and ErrExists if the name is taken.
func Create(ctx context.Context, config Config) (*Cluster, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	server, err := docker.Ping(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{config: config, arch: server.Arch}
	if c.entry, err = register(ctx, config); err != nil {
		return nil, err
	}
	if err := c.create(ctx, server); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err) // commands say no more than that they were killed
		}
		c.abandon(ctx)
		return nil, fmt.Errorf("cluster %s: %w", config.Name, err)
	}
	return c, nil
}

// register enters the cluster into the index before anything of it is made, so that
// whatever a killed process leaves is known as ours.
func register(ctx context.Context, config Config) (*entry, error) {
	path, err := entryPath(config.Name)
	if err != nil {
		return nil, err
	}
	e, err := makeEntry(path)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("cluster %s: %w, %w", config.Name, ErrExists, err)
	}
	if err != nil {
		return nil, err
	}
	nodes, err := findNodes(ctx, config.Name)
	if err == nil && len(nodes) > 0 {
		err = fmt.Errorf("cluster %s: %w: attach to it, or remove it with \"rehearsal cleanup\" if rehearsal made it", config.Name, ErrExists)
	}
	if err == nil {
		err = e.add(config.StateDir)
	}
	if err != nil {
		e.leave()
		return nil, err
	}
	return e, nil
}

func (c *Cluster) create(ctx context.Context, server docker.Server) error {
	if err := os.MkdirAll(c.config.StateDir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	image, err := nodeimage.Resolve(ctx, nodeimage.Options{Want: c.config.NodeImage, Log: c.config.Log})
	if err != nil {
		return err
	}
	c.image = image.Ref
	options := kindOptions{StaticNetwork: image.StaticNetwork, CgroupV1: server.CgroupVersion == "1"}
	if image.StaticNetwork {
		options.Patches = nodeimage.KubeadmPatches
	}
	rawConfig, err := renderKind(options)
	if err != nil {
		return err
	}
	c.config.Log.Info("creating the cluster", "cluster", c.config.Name, "image", c.image)
	began := time.Now()
	var registryImage string
	group, groupContext := errgroup.WithContext(ctx)
	group.Go(func() error { return createNodes(groupContext, c.config, c.image, rawConfig, c.Kubeconfig()) })
	group.Go(func() (err error) {
		registryImage, err = loadRegistry(groupContext, c.arch)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	c.config.Log.Debug("kind is done", "took", time.Since(began).Round(time.Millisecond))
	if c.registry, err = startRegistry(ctx, c.config, registryImage); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	if err := c.connect(ctx); err != nil {
		return err
	}
	c.config.Log.Info("the cluster is ready", "cluster", c.config.Name, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// connect makes a cluster whose containers run usable: kubeconfig, registry,
// egress, readiness. All of it may be done again.
func (c *Cluster) connect(ctx context.Context) error {
	if err := os.Chmod(c.Kubeconfig(), 0o600); err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	c.rest = config
	if c.emulated, err = emulated(ctx, c.node()); err != nil {
		return err
	}
	if err := c.registry.configureNode(ctx, c.node()); err != nil {
		return fmt.Errorf("registry of the node: %w", err)
	}
	// Closed while it is waited for, even if it is to be open: an address that
	// nobody serves yet could be answered by somebody outside.
	if c.egress, err = closeEgress(ctx, c.node(), c.registry); err != nil {
		return fmt.Errorf("close egress: %w", err)
	}
	ready, cancel := context.WithTimeoutCause(ctx, readyDeadline, fmt.Errorf("not ready within %s", readyDeadline))
	defer cancel()
	if err := awaitReady(ready, c.rest, c.node()); err != nil {
		return err
	}
	if !c.config.Egress {
		return nil
	}
	c.egress, err = openEgress(ctx, c.node())
	return err
}

// abandon is the end of a cluster that failed to come up.
func (c *Cluster) abandon(ctx context.Context) {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteDeadline)
	defer cancel()
	logs := filepath.Join(c.config.StateDir, "logs")
	// Nobody wants the logs of what they stopped themselves, nor to wait for them.
	if !interrupted {
		if err := c.Logs(ctx, logs); err != nil {
			c.config.Log.Warn("logs of the failed cluster", "error", err)
		}
	}
	if c.config.Retain {
		c.config.Log.Warn("the failed cluster is kept", "cluster", c.config.Name, "kubeconfig", c.Kubeconfig(), "logs", logs)
		c.entry.release()
		return
	}
	if err := c.Delete(ctx); err != nil {
		c.config.Log.Warn("the failed cluster stays behind: rehearsal cleanup", "cluster", c.config.Name, "error", err)
	}
}

// Delete removes the cluster, its registry and its kubeconfig. It may be called
// again, and works although ctx has ended: it has two minutes of its own.
func (c *Cluster) Delete(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteDeadline)
	defer cancel()
	states, err := readStates(c.entry.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := remove(ctx, c.config.Name, append(states, c.config.StateDir)); err != nil {
		return err
	}
	return c.entry.remove()
}

// REST returns a copy of the client configuration of the cluster's administrator.
func (c *Cluster) REST() *rest.Config { return rest.CopyConfig(c.rest) }

// Kubeconfig is the path of the cluster's own kubeconfig, readable by its owner alone.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.config.StateDir, "kubeconfig") }

// Name is the name of the kind cluster.
func (c *Cluster) Name() string { return c.config.Name }

// Arch is the architecture of the node in Go's spelling.
func (c *Cluster) Arch() string { return c.arch }

// NodeImage is the image that the node runs.
func (c *Cluster) NodeImage() string { return c.image }

// Emulated tells whether the node runs on a processor emulated in software.
func (c *Cluster) Emulated() bool { return c.emulated }

// Egress tells what the cluster can reach, and how that was seen.
func (c *Cluster) Egress() Egress { return c.egress }

func (c *Cluster) node() string { return nodeName(c.config.Name) }

func nodeName(cluster string) string { return cluster + "-control-plane" }
