package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// CleanupOptions say what Cleanup may remove.
type CleanupOptions struct {
	// All removes clusters of ours that a run at work uses, or may use, too.
	All bool
	// Log gets the progress; nil means none.
	Log *slog.Logger
}

// Cleaned is what Cleanup did.
type Cleaned struct {
	// Removed are the names of the clusters that were removed.
	Removed []string
	// Skipped are clusters of ours that were left alone.
	Skipped []Skipped
}

// Skipped is a cluster that Cleanup left alone.
type Skipped struct{ Name, Reason string }

// Cleanup removes the clusters that the harness has made and no run uses any more,
// kept ones too, with the logs of those that failed. A cluster is ours if it is in
// the index of this user or has a registry with our label; its name alone is no
// proof. On error, what could be removed has been. The error is docker.ErrNoEngine if
// there is no engine.
func Cleanup(ctx context.Context, o CleanupOptions) (Cleaned, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if _, err := docker.Ping(ctx); err != nil {
		return Cleaned{}, err
	}
	root, err := stateRoot()
	if err != nil {
		return Cleaned{}, err
	}
	found, err := leftClusters(ctx, root)
	if err != nil {
		return Cleaned{}, err
	}
	var done Cleaned
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(found)) {
		err := found[name].remove(ctx, root, o.All)
		var inUse skipError
		switch {
		case errors.As(err, &inUse):
			done.Skipped = append(done.Skipped, Skipped{name, inUse.reason})
		case err != nil:
			failures = append(failures, fmt.Errorf("remove %s: %w", name, err))
		default:
			o.Log.Info("removed", "cluster", name)
			done.Removed = append(done.Removed, name)
		}
	}
	return done, errors.Join(failures...)
}

// skipError says why a cluster is not removed.
type skipError struct{ reason string }

func (e skipError) Error() string { return e.reason }

// leftCluster is what is found of a cluster of ours.
type leftCluster struct {
	name string
	// entry is the path of its entry in the index, of another user's index maybe.
	entry string
	// stateDirs are those known from elsewhere than from the entry.
	stateDirs []string
	// labelled: its registry carries our label.
	labelled bool
}

// leftClusters finds clusters by their entries, their registries and the
// directories in which a failed one has left its logs.
func leftClusters(ctx context.Context, root string) (map[string]*leftCluster, error) {
	files, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := map[string]*leftCluster{}
	get := func(name string) *leftCluster {
		if found[name] == nil {
			found[name] = &leftCluster{name: name, entry: filepath.Join(root, name+entrySuffix)}
		}
		return found[name]
	}
	for _, file := range files {
		name, isEntry := strings.CutSuffix(file.Name(), entrySuffix)
		if !validName.MatchString(name) {
			continue
		}
		if cluster := get(name); !isEntry {
			cluster.stateDirs = append(cluster.stateDirs, filepath.Join(root, name))
		}
	}
	registries, err := docker.Lines(ctx, "ps", "--all", "--filter", "label="+ownerRegistry,
		"--format", fmt.Sprintf("{{.Label %q}}\t{{.Label %q}}\t{{.Label %q}}", clusterLabel, stateLabel, entryLabel))
	if err != nil {
		return nil, err
	}
	for _, line := range registries {
		name, paths, _ := strings.Cut(line, "\t")
		stateDir, entry, _ := strings.Cut(paths, "\t")
		if !validName.MatchString(name) {
			continue
		}
		cluster := get(name)
		cluster.labelled = true
		cluster.stateDirs = append(cluster.stateDirs, stateDir)
		// A label is no licence to remove any file.
		if filepath.IsAbs(entry) && filepath.Base(entry) == name+entrySuffix {
			cluster.entry = entry
		}
	}
	return found, nil
}

// remove takes the cluster away if no run has it. The error is a skipError if one
// has, or may have.
func (l *leftCluster) remove(ctx context.Context, root string, all bool) error {
	e, err := l.take()
	if err == nil {
		defer e.release()
	} else if !all {
		return skipError{err.Error()}
	}
	states, err := readStates(l.entry)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Without a mark there is a directory of logs, or an entry that was just begun: no
	// container by that name is ours.
	marked := l.labelled || len(states) > 0
	states = append(states, l.stateDirs...)
	if marked {
		if err := remove(ctx, l.name, states); err != nil {
			return err
		}
	}
	for _, dir := range states {
		if err := purgeState(root, dir); err != nil {
			return err
		}
	}
	if err := os.Remove(l.entry); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// take locks the cluster's entry. A registry without one was made by another user or
// machine, which alone knows whether it is in use.
func (l *leftCluster) take() (*entry, error) {
	if !l.labelled {
		return makeEntry(l.entry)
	}
	e, err := lockEntry(l.entry, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("whether a run uses it cannot be told from here: %w", err)
	}
	return e, err
}
