package cluster

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

const (
	registryPort = "5000"
	// controlPort also answers on the registry, and the node must not reach it.
	controlPort = "5001"
	// network is kind's, shared by all clusters on an engine.
	network    = "kind"
	mainModule = "github.com/GameplanePanel/rehearsal"

	ownerRegistry = docker.OwnerLabel + "=registry"
	clusterLabel  = "rehearsal.gameplane.local/cluster"
	stateLabel    = "rehearsal.gameplane.local/state"
	entryLabel    = "rehearsal.gameplane.local/entry"
)

// registry is the container that serves pushed images to the node.
type registry struct {
	name    string
	address netip.Addr // on the kind network
	push    string     // host:port on loopback
}

func (r registry) host() string { return r.name + ":" + registryPort }

// Registry is the registry's host and port in the cluster's image references.
func (c *Cluster) Registry() string { return c.registry.host() }

// PushAddress is the host and port of the registry on this machine. It speaks HTTP.
func (c *Cluster) PushAddress() string { return c.registry.push }

// Push uploads an image to the cluster's registry and returns the reference by
// digest that pods use.
func (c *Cluster) Push(ctx context.Context, repo string, img v1.Image) (string, error) {
	digest, err := img.Digest()
	if err != nil {
		return "", fmt.Errorf("push %s: %w", repo, err)
	}
	target, err := name.NewDigest(c.registry.push+"/"+repo+"@"+digest.String(), name.Insecure, name.StrictValidation)
	if err != nil {
		return "", fmt.Errorf("push %s: %w", repo, err)
	}
	if err := remote.Write(target, img, remote.WithContext(ctx)); err != nil {
		return "", fmt.Errorf("push %s: %w", repo, err)
	}
	return c.registry.host() + "/" + repo + "@" + digest.String(), nil
}

// loadRegistry builds the registry's image and loads it into the engine unless it
// is there; the image's tag is its digest.
func loadRegistry(ctx context.Context, arch string) (string, error) {
	dir, err := ociimage.ModuleDir(ctx, mainModule)
	if err != nil {
		return "", err
	}
	image, err := ociimage.Build(ctx, ociimage.Program{
		Dir:     dir,
		Package: "./harness/cluster/registry",
		Arch:    arch,
		Labels:  map[string]string{docker.OwnerLabel: "registry"},
	})
	if err != nil {
		return "", err
	}
	digest, err := image.Digest()
	if err != nil {
		return "", err
	}
	tag := "rehearsal/registry:" + digest.Hex[:12]
	if _, err := docker.Output(ctx, "image", "inspect", tag); err == nil {
		return tag, nil
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(ociimage.WriteArchive(writer, map[string]v1.Image{tag: image})) }()
	defer reader.Close()
	if _, err := docker.Input(ctx, reader, "load"); err != nil {
		return "", fmt.Errorf("load %s: %w", tag, err)
	}
	return tag, nil
}

func startRegistry(ctx context.Context, c Config, image string) (registry, error) {
	entry, err := entryPath(c.Name)
	if err != nil {
		return registry{}, err
	}
	_, err = docker.Output(ctx, "run", "--detach", "--name", registryName(c.Name), "--network", network,
		"--publish", "127.0.0.1::"+registryPort, "--restart", "on-failure:1",
		"--read-only", "--tmpfs", "/tmp", // blobs
		"--label", ownerRegistry, "--label", clusterLabel+"="+c.Name, "--label", stateLabel+"="+c.StateDir, "--label", entryLabel+"="+entry,
		image)
	if err != nil {
		return registry{}, err
	}
	return findRegistry(ctx, c.Name)
}

func registryName(cluster string) string { return cluster + "-registry" }

func findRegistry(ctx context.Context, cluster string) (registry, error) {
	found := registry{name: registryName(cluster)}
	format := fmt.Sprintf(`{{(index .NetworkSettings.Networks %q).IPAddress}} {{(index (index .NetworkSettings.Ports "%s/tcp") 0).HostPort}}`, network, registryPort)
	output, err := docker.Output(ctx, "inspect", "--format", format, found.name)
	if err != nil {
		return registry{}, err
	}
	address, port, _ := strings.Cut(output, " ")
	if found.address, err = netip.ParseAddr(address); err != nil {
		return registry{}, fmt.Errorf("address of %s: %w", found.name, err)
	}
	found.push = "127.0.0.1:" + port
	return found, nil
}

// configureNode gives the node's containerd the registry's address. It is an IP
// address, since a closed node has no DNS.
func (r registry) configureNode(ctx context.Context, node string) error {
	const install = `mkdir -p "$1" && cat >"$1/hosts.toml"`
	_, err := docker.Input(ctx, strings.NewReader(r.hostsTOML()), "exec", "-i", node,
		"sh", "-c", install, "sh", "/etc/containerd/certs.d/"+r.host())
	return err
}

func (r registry) hostsTOML() string {
	url := "http://" + netip.AddrPortFrom(r.address, 5000).String()
	return fmt.Sprintf("server = %q\n\n[host.%q]\n  capabilities = [\"pull\", \"resolve\"]\n", url, url)
}
