package cluster

import (
	"context"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// emulated asks the node's systemd for the kind of machine: "qemu" is QEMU without
// hardware support; "kvm" and the clouds' names have it.
func emulated(ctx context.Context, node string) (bool, error) {
	// The command exits 1 after printing "none".
	kind, err := docker.Output(ctx, "exec", node, "sh", "-c", "systemd-detect-virt --vm || true")
	return strings.TrimSpace(kind) == "qemu", err
}
