package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// nodeLabel is kind's own label on the containers of a cluster.
const nodeLabel = "io.x-k8s.kind.cluster"

// createNodes runs kind, which takes no context: when ctx ends, createNodes removes
// kind's containers and waits for kind to return.
func createNodes(ctx context.Context, c Config, image string, rawConfig []byte, kubeconfig string) error {
	provider := newProvider(c.Log)
	done := make(chan error, 1)
	go func() {
		done <- provider.Create(c.Name,
			cluster.CreateWithRawConfig(rawConfig),
			cluster.CreateWithNodeImage(image),
			cluster.CreateWithKubeconfigPath(kubeconfig),
			cluster.CreateWithRetain(true), // the logs of a failed cluster are collected first
			cluster.CreateWithDisplayUsage(false),
			cluster.CreateWithDisplaySalutation(false),
		)
	}()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("kind: %w", err)
		}
		return nil
	case <-ctx.Done():
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := removeNodes(cleanup, c.Name); err != nil {
		c.Log.Warn("nodes of a cancelled cluster", "cluster", c.Name, "error", err)
	}
	select {
	case <-done:
	case <-cleanup.Done():
	}
	return context.Cause(ctx)
}

func newProvider(log *slog.Logger) *cluster.Provider {
	return cluster.NewProvider(cluster.ProviderWithDocker(), cluster.ProviderWithLogger(kindLogger{log}))
}

// removeNodes removes the containers of a cluster and their volumes. kind's own
// Delete would also edit a kubeconfig.
func removeNodes(ctx context.Context, name string) error {
	return removeContainers(ctx, nodeLabel+"="+name)
}

func findNodes(ctx context.Context, name string) ([]string, error) {
	return findContainers(ctx, nodeLabel+"="+name)
}

// findContainers returns the IDs of the containers, running or not, that have all
// of the labels.
func findContainers(ctx context.Context, labels ...string) ([]string, error) {
	args := []string{"ps", "--all", "--quiet", "--no-trunc"}
	for _, label := range labels {
		args = append(args, "--filter", "label="+label)
	}
	return docker.Lines(ctx, args...)
}

// removeContainers removes the containers that findContainers finds, and their volumes.
func removeContainers(ctx context.Context, labels ...string) error {
	found, err := findContainers(ctx, labels...)
	if err != nil || len(found) == 0 {
		return err
	}
	_, err = docker.Output(ctx, append([]string{"rm", "--force", "--volumes"}, found...)...)
	return err
}

// kindLogger logs kind's warnings as warnings and everything else at debug level.
type kindLogger struct{ log *slog.Logger }

func (l kindLogger) Warn(message string)           { l.log.Warn("kind: " + message) }
func (l kindLogger) Warnf(format string, a ...any) { l.Warn(fmt.Sprintf(format, a...)) }
func (l kindLogger) Error(message string)          { l.log.Error("kind: " + message) }
func (l kindLogger) Errorf(format string, a ...any) {
	l.Error(fmt.Sprintf(format, a...))
}

func (l kindLogger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return kindInfo(l)
}

type kindInfo struct{ log *slog.Logger }

func (i kindInfo) Enabled() bool                 { return true }
func (i kindInfo) Info(message string)           { i.log.Debug("kind: " + message) }
func (i kindInfo) Infof(format string, a ...any) { i.Info(fmt.Sprintf(format, a...)) }
