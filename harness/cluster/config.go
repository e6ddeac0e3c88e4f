package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// prefix begins the name of every cluster of the harness, for people. The entry in
// the index proves that the harness made the cluster.
const prefix = "rehearsal-"

// Config describes the cluster to create.
type Config struct {
	// Name distinguishes clusters on one engine: lower-case letters, digits and
	// dashes, at most 40 bytes. "rehearsal-" is prepended unless it is there.
	Name string
	// NodeImage takes the values of nodeimage.Options.Want.
	NodeImage string
	// Egress lets the cluster reach the outside. Without it, the cluster reaches only
	// the node and the registry.
	Egress bool
	// StateDir holds the kubeconfig; empty means a separate directory in the user's
	// cache directory.
	StateDir string
	// Log receives the progress; nil means none.
	Log *slog.Logger
	// Retain keeps the cluster if Create fails. The logs are in StateDir/logs either
	// way.
	Retain bool
}

// The name is also a host name, to which kind appends "-control-plane".
var validName = regexp.MustCompile(`^rehearsal-[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

func (c Config) withDefaults() (Config, error) {
	if !strings.HasPrefix(c.Name, prefix) {
		c.Name = prefix + c.Name
	}
	if !validName.MatchString(c.Name) {
		return c, fmt.Errorf("cluster name %q: want lower-case letters, digits and dashes, at most 40 of them", strings.TrimPrefix(c.Name, prefix))
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.StateDir != "" {
		absolute, err := filepath.Abs(c.StateDir)
		c.StateDir = absolute
		return c, err
	}
	root, err := stateRoot()
	c.StateDir = filepath.Join(root, c.Name)
	return c, err
}

// stateRoot is the parent of the state directories of clusters without a StateDir.
func stateRoot() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Join(errors.New("no directory for the cluster's state: set Config.StateDir"), err)
	}
	return filepath.Join(cache, "rehearsal", "clusters"), nil
}
