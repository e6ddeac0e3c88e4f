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

// CleanupOptions are the options of Cleanup.
type CleanupOptions struct {
	// All also removes clusters that a live run uses, or may use.
	All bool
	// Log receives the progress; nil means none.
	Log *slog.Logger
}

// Cleaned is the result of Cleanup.
type Cleaned struct {
	// Removed are the names of the removed clusters.
	Removed []string
	// Skipped are clusters of the harness that Cleanup left alone.
	Skipped []Skipped
}

// Skipped is a cluster that Cleanup left alone.
type Skipped struct{ Name, Reason string }

// Cleanup removes the clusters that the harness made and no run uses any more,
// retained ones too, with the logs of failed ones. The harness made a cluster if
// the cluster is in this user's index or has a registry with the harness's label; a
// name alone proves nothing. After an error, Cleanup has removed what it could. The
// error is docker.ErrNoEngine if no engine answers.
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

// leftCluster is what remains of a cluster of the harness.
type leftCluster struct {
	name string
	// entry is the path of its entry in the index, possibly another user's index.
	entry string
	// stateDirs are those known from other sources than the entry.
	stateDirs []string
	// labelled: its registry has the harness's label.
	labelled bool
}

// leftClusters finds clusters by their entries, their registries and the log
// directories of failed ones.
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
		// A label must not make Cleanup remove arbitrary files.
		if filepath.IsAbs(entry) && filepath.Base(entry) == name+entrySuffix {
			cluster.entry = entry
		}
	}
	return found, nil
}

// remove removes the cluster if no run holds it. The error is a skipError if a run
// holds it, or may hold it.
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
	// Without a mark it is a log directory or an entry that was just begun: no
	// container of that name is the harness's.
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

// take locks the cluster's entry. Another user or machine made a registry without
// an entry, and only that user or machine knows whether it is in use.
func (l *leftCluster) take() (*entry, error) {
	if !l.labelled {
		return makeEntry(l.entry)
	}
	e, err := lockEntry(l.entry, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("cannot tell whether a run uses it: %w", err)
	}
	return e, err
}
