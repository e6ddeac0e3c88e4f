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

// prefix begins the name of every cluster made here, for people to know it by. What
// proves that a cluster is ours is its entry in the index.
const prefix = "rehearsal-"

// Config says which cluster is wanted.
type Config struct {
	// Name tells clusters on one engine apart. "rehearsal-" is put before it
	// unless it begins so. Lower-case letters, digits and dashes, at most 40 bytes.
	Name string
	// NodeImage is what nodeimage.Options.Want may be.
	NodeImage string
	// Egress opens the cluster to the outside. Without it nothing in the cluster
	// reaches past the node and the registry.
	Egress bool
	// StateDir holds the kubeconfig; empty means a directory of the cluster's own
	// in the user's cache directory.
	StateDir string
	// Log gets the progress; nil means none.
	Log *slog.Logger
	// Retain keeps the cluster when Create fails. Its logs are in StateDir/logs
	// then, whether it is kept or not.
	Retain bool
}

// The name is also a host name, with kind's "-control-plane" after it.
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

// stateRoot is where clusters without a StateDir keep theirs.
func stateRoot() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Join(errors.New("no directory for the cluster's state: give one"), err)
	}
	return filepath.Join(cache, "rehearsal", "clusters"), nil
}
