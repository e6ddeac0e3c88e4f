package cluster

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"text/template"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// Egress is what a cluster was seen to reach.
type Egress struct {
	// Open tells that it was not closed at all.
	Open bool
	// Control is a line for people: what was reached and what was refused when
	// the cluster had been closed. Empty if Open.
	Control string
}

//go:embed egress.nft.tmpl
var egressTemplate string

var egressRules = template.Must(template.New("egress.nft").Parse(egressTemplate))

// egressOptions are what the rules depend on.
type egressOptions struct {
	Registry  netip.Addr
	Port      string
	Pods      string
	Resolvers []netip.Addr // what the node's and so CoreDNS's questions go to
}

func renderEgress(o egressOptions) (string, error) {
	var rules bytes.Buffer
	err := egressRules.Execute(&rules, o)
	return rules.String(), err
}

// resolvers are the IPv4 name servers of the node.
func resolvers(ctx context.Context, node string) ([]netip.Addr, error) {
	lines, err := docker.Lines(ctx, "exec", node, "cat", "/etc/resolv.conf")
	if err != nil {
		return nil, err
	}
	var found []netip.Addr
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		address, err := netip.ParseAddr(fields[1])
		if err != nil {
			return nil, fmt.Errorf("resolv.conf of %s: %w", node, err)
		}
		if address.Is4() {
			found = append(found, address)
		}
	}
	return found, nil
}

// closeEgress rejects what the node and its pods would send out, in the node's
// own network namespace: no rule of the host's is touched, and the rules go when
// the node goes. They are lost when the node restarts; Attach sets them again.
func closeEgress(ctx context.Context, node string, r registry) (Egress, error) {
	servers, err := resolvers(ctx, node)
	if err != nil {
		return Egress{}, err
	}
	rules, err := renderEgress(egressOptions{Registry: r.address, Port: registryPort, Pods: podSubnet, Resolvers: servers})
	if err != nil {
		return Egress{}, err
	}
	// The control must be reachable first, or its refusal would prove nothing.
	if err := deleteEgressRules(ctx, node); err != nil {
		return Egress{}, err
	}
	control := netip.MustParseAddrPort(r.address.String() + ":" + controlPort)
	if err := reach(ctx, node, control); err != nil {
		return Egress{}, fmt.Errorf("the control %s does not answer while the node is open: %w", control, err)
	}
	if _, err := docker.Input(ctx, strings.NewReader(rules), "exec", "-i", node, "nft", "-f", "-"); err != nil {
		return Egress{}, err
	}
	// One refusal a second is the kernel's measure: the second of two questions
	// asked at once would wait for its time-out.
	if _, err := docker.Output(ctx, "exec", node, "sysctl", "-qw", "net.ipv4.icmp_ratelimit=0"); err != nil {
		return Egress{}, err
	}
	if err := reach(ctx, node, control); err == nil {
		return Egress{}, fmt.Errorf("the control %s still answers although the node is closed", control)
	} else if !errors.Is(err, errRefused) {
		return Egress{}, fmt.Errorf("the control %s is not refused although the node is closed: %w", control, err)
	}
	pulls := netip.MustParseAddrPort(r.address.String() + ":" + registryPort)
	if err := reach(ctx, node, pulls); err != nil {
		return Egress{}, fmt.Errorf("the registry %s is out of the closed node's reach: %w", pulls, err)
	}
	return Egress{Control: fmt.Sprintf("reached %s; reached %s before and was refused after", pulls, control)}, nil
}

func openEgress(ctx context.Context, node string) (Egress, error) {
	return Egress{Open: true}, deleteEgressRules(ctx, node)
}

func deleteEgressRules(ctx context.Context, node string) error {
	// Named first, since nft refuses to delete what is not there.
	_, err := docker.Input(ctx, strings.NewReader("table inet rehearsal\ndelete table inet rehearsal\n"),
		"exec", "-i", node, "nft", "-f", "-")
	return err
}

// podSubnet is the one kind gives its pods by default.
const podSubnet = "10.244.0.0/16"

var errRefused = errors.New("connection refused")

// reach opens a TCP connection from the node to an address.
func reach(ctx context.Context, node string, address netip.AddrPort) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	device := fmt.Sprintf("/dev/tcp/%s/%d", address.Addr(), address.Port())
	_, err := docker.Output(ctx, "exec", node, "bash", "-c", `exec 3<>"$1"`, "bash", device)
	var failed *docker.CommandError
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "Connection refused") {
		return fmt.Errorf("%s: %w", address, errRefused)
	}
	return err
}
