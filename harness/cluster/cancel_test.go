package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/nodeimage"
)

// TestCancel ends the context while kind works, as Ctrl-C does. Nothing of the
// cluster may remain, not even what kind was about to create.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes a cluster")
	}
	if _, err := docker.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := nodeimage.Resolve(t.Context(), nodeimage.Options{}); err != nil {
		t.Fatal(err) // resolve the image first, so that the cancellation hits kind
	}
	config := Config{Name: fmt.Sprintf("cancel-%d", os.Getpid()), StateDir: filepath.Join(t.TempDir(), "state")}
	interrupted := errors.New("interrupted")
	// By then the node runs, and kubeadm works in it.
	ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, interrupted)
	defer cancel()
	if _, err := Create(ctx, config); !errors.Is(err, interrupted) {
		t.Errorf("Create = %v, want the cause of the interruption", err)
	}
	left, err := docker.Lines(t.Context(), "ps", "--all", "--format", "{{.Names}}", "--filter", "name="+config.Name)
	if err != nil || len(left) > 0 {
		t.Errorf("remaining containers: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(config.StateDir, "kubeconfig")); err == nil {
		t.Error("the kubeconfig remains")
	}
}
