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

// Egress is what a cluster was observed to reach.
type Egress struct {
	// Open says that the egress was not closed at all.
	Open bool
	// Control says in one line what the closed cluster could reach and what refused
	// it. Empty if Open.
	Control string
}

//go:embed egress.nft.tmpl
var egressTemplate string

var egressRules = template.Must(template.New("egress.nft").Parse(egressTemplate))

// egressOptions are the inputs of the rules.
type egressOptions struct {
	Registry  netip.Addr
	Port      string
	Pods      string
	Resolvers []netip.Addr // the DNS servers of the node, and so of CoreDNS
}

func renderEgress(o egressOptions) (string, error) {
	var rules bytes.Buffer
	err := egressRules.Execute(&rules, o)
	return rules.String(), err
}

// resolvers returns the IPv4 DNS servers of the node.
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

// closeEgress rejects what the node and its pods send out, in the node's own network
// namespace: the host's rules do not change, and these rules end with the node. A
// restart of the node drops them; Attach sets them again.
func closeEgress(ctx context.Context, node string, r registry) (Egress, error) {
	servers, err := resolvers(ctx, node)
	if err != nil {
		return Egress{}, err
	}
	rules, err := renderEgress(egressOptions{Registry: r.address, Port: registryPort, Pods: podSubnet, Resolvers: servers})
	if err != nil {
		return Egress{}, err
	}
	// The control must answer before, or its refusal afterwards proves nothing.
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
	// The kernel refuses once a second: of two simultaneous attempts the second would
	// wait for its timeout.
	if _, err := docker.Output(ctx, "exec", node, "sysctl", "-qw", "net.ipv4.icmp_ratelimit=0"); err != nil {
		return Egress{}, err
	}
	if err := reach(ctx, node, control); err == nil {
		return Egress{}, fmt.Errorf("the control %s still answers on the closed node", control)
	} else if !errors.Is(err, errRefused) {
		return Egress{}, fmt.Errorf("the closed node did not refuse the control %s: %w", control, err)
	}
	pulls := netip.MustParseAddrPort(r.address.String() + ":" + registryPort)
	if err := reach(ctx, node, pulls); err != nil {
		return Egress{}, fmt.Errorf("the closed node cannot reach the registry %s: %w", pulls, err)
	}
	return Egress{Control: fmt.Sprintf("reached %s; reached %s before and was refused after", pulls, control)}, nil
}

func openEgress(ctx context.Context, node string) (Egress, error) {
	return Egress{Open: true}, deleteEgressRules(ctx, node)
}

func deleteEgressRules(ctx context.Context, node string) error {
	// The table is declared first: nft refuses to delete a missing one.
	_, err := docker.Input(ctx, strings.NewReader("table inet rehearsal\ndelete table inet rehearsal\n"),
		"exec", "-i", node, "nft", "-f", "-")
	return err
}

// podSubnet is kind's default pod subnet.
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
