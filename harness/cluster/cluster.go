// Package cluster creates and deletes the Kubernetes cluster of a rehearsal: one
// kind node, a registry for images built on this machine, and no egress.
//
// A cluster changes nothing of the user's: it has its own kubeconfig file, its
// containers carry the harness's name and label, and the harness removes only those.
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

// Errors that callers can test for.
var (
	// ErrExists means that a cluster of the name exists.
	ErrExists = errors.New("a cluster of this name already exists")
	// ErrNotFound means that there is no cluster of the name to attach to.
	ErrNotFound = errors.New("no cluster of this name")
	// ErrInUse means that a live process holds the cluster.
	ErrInUse = errors.New("another run uses the cluster")
)

const (
	// readyDeadline suits a busy machine; an idle one needs a tenth of it.
	readyDeadline  = 5 * time.Minute
	deleteDeadline = 2 * time.Minute
)

// Cluster is a running cluster.
type Cluster struct {
	config   Config
	entry    *entry // locked while the cluster is in use
	image    string
	arch     string
	emulated bool
	rest     *rest.Config
	registry registry
	egress   Egress
}

// Create creates a cluster and waits until it is ready. If it fails, the cluster's
// logs are in StateDir/logs. If it fails or ctx ends, nothing of the cluster keeps
// running unless Config.Retain is set. The error is docker.ErrNoEngine if no engine
// answers and ErrExists if the name is taken.
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
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err) // a killed command does not say why
		}
		c.abandon(ctx)
		return nil, fmt.Errorf("cluster %s: %w", config.Name, err)
	}
	return c, nil
}

// register enters the cluster into the index before it creates anything, so that
// Cleanup finds what a killed process leaves.
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

// connect makes a cluster of running containers usable: kubeconfig, registry,
// egress, readiness. It can be repeated.
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
	// The egress is closed while the node gets ready, even if it opens later: somebody
	// outside could answer at an address that nobody serves yet.
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

// abandon cleans up after a cluster that failed to start.
func (c *Cluster) abandon(ctx context.Context) {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteDeadline)
	defer cancel()
	logs := filepath.Join(c.config.StateDir, "logs")
	// After a cancellation nobody needs the logs.
	if !interrupted {
		if err := c.Logs(ctx, logs); err != nil {
			c.config.Log.Warn("logs of the failed cluster", "error", err)
		}
	}
	if c.config.Retain {
		c.config.Log.Warn("retained the failed cluster", "cluster", c.config.Name, "kubeconfig", c.Kubeconfig(), "logs", logs)
		c.entry.release()
		return
	}
	if err := c.Delete(ctx); err != nil {
		c.config.Log.Warn("the failed cluster remains: run rehearsal cleanup", "cluster", c.config.Name, "error", err)
	}
}

// Delete removes the cluster, its registry and its kubeconfig. It can be repeated.
// It works after ctx has ended and takes at most two minutes.
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

// REST returns a copy of the administrator's client configuration.
func (c *Cluster) REST() *rest.Config { return rest.CopyConfig(c.rest) }

// Kubeconfig is the path of the cluster's kubeconfig, which only its owner can read.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.config.StateDir, "kubeconfig") }

// Name is the name of the kind cluster.
func (c *Cluster) Name() string { return c.config.Name }

// Arch is the architecture of the node in Go's spelling.
func (c *Cluster) Arch() string { return c.arch }

// NodeImage is the node's image.
func (c *Cluster) NodeImage() string { return c.image }

// Emulated reports whether software emulates the node's processor.
func (c *Cluster) Emulated() bool { return c.emulated }

// Egress describes what the cluster can reach, and the control that showed it.
func (c *Cluster) Egress() Egress { return c.egress }

func (c *Cluster) node() string { return nodeName(c.config.Name) }

func nodeName(cluster string) string { return cluster + "-control-plane" }
