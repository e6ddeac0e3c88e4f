package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// remove takes a cluster away; what is gone already is no error.
func remove(ctx context.Context, name, stateDir string) error {
	return errors.Join(
		removeNodes(ctx, name),
		removeContainers(ctx, clusterLabel+"="+name),
		removeState(stateDir),
	)
}

// removeState removes the kubeconfig, and the directory if nothing else is in
// it: logs of a failure stay, and so does whatever else the user keeps there.
func removeState(dir string) error {
	if dir == "" {
		return nil
	}
	for _, name := range []string{"kubeconfig", "kubeconfig.lock"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("state directory: %w", err)
		}
	}
	_ = os.Remove(dir)
	return nil
}

// purgeState removes a state directory with all that is in it, logs too, if it is
// one of those that are made under root.
func purgeState(root, dir string) error {
	if filepath.Dir(dir) != root || !strings.HasPrefix(filepath.Base(dir), prefix) {
		return nil
	}
	return os.RemoveAll(dir)
}

// Cleanup removes every cluster and registry that the harness has made on the
// engine, whatever run left them, with the logs of those that failed, and returns
// their names. Clusters in use by a run at work go too.
func Cleanup(ctx context.Context, log *slog.Logger) (removed []string, err error) {
	if _, err := docker.Ping(ctx); err != nil {
		return nil, err
	}
	states, err := leftClusters(ctx)
	if err != nil {
		return nil, err
	}
	root, err := stateRoot()
	if err != nil {
		return nil, err
	}
	var failures []error
	for name, stateDir := range states {
		if err := errors.Join(remove(ctx, name, stateDir), purgeState(root, stateDir)); err != nil {
			failures = append(failures, fmt.Errorf("remove %s: %w", name, err))
			continue
		}
		if log != nil {
			log.Info("removed", "cluster", name)
		}
		removed = append(removed, name)
	}
	slices.Sort(removed)
	return removed, errors.Join(failures...)
}

// leftClusters finds clusters by their nodes, their registries or their state
// directories, and where each keeps its state.
func leftClusters(ctx context.Context) (map[string]string, error) {
	root, err := stateRoot()
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	nodes, err := docker.Lines(ctx, "ps", "--all", "--filter", "label="+nodeLabel, "--format", fmt.Sprintf("{{.Label %q}}", nodeLabel))
	if err != nil {
		return nil, err
	}
	directories, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, directory := range directories {
		nodes = append(nodes, directory.Name())
	}
	for _, name := range nodes {
		if strings.HasPrefix(name, prefix) {
			states[name] = filepath.Join(root, name)
		}
	}
	registries, err := docker.Lines(ctx, "ps", "--all", "--filter", "label="+ownerRegistry,
		"--format", fmt.Sprintf("{{.Label %q}}\t{{.Label %q}}", clusterLabel, stateLabel))
	if err != nil {
		return nil, err
	}
	for _, line := range registries {
		name, stateDir, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(name, prefix) {
			states[name] = stateDir
		}
	}
	return states, nil
}
