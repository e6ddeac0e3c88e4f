package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// remove deletes a cluster; missing parts are not an error.
func remove(ctx context.Context, name string, stateDirs []string) error {
	failures := []error{
		removeNodes(ctx, name),
		removeContainers(ctx, ownerRegistry, clusterLabel+"="+name),
	}
	for _, dir := range stateDirs {
		failures = append(failures, removeState(dir))
	}
	return errors.Join(failures...)
}

// removeState removes the kubeconfig, and the directory if it is then empty: it
// leaves the logs of a failure and the user's own files.
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

// purgeState removes a state directory and all its content, logs too, if the
// directory is directly under root.
func purgeState(root, dir string) error {
	if filepath.Dir(dir) != root || !strings.HasPrefix(filepath.Base(dir), prefix) {
		return nil
	}
	return os.RemoveAll(dir)
}
