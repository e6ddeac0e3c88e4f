// Command coredns is CoreDNS with the plugins of kubeadm's Corefile and no others: the full build pulls every cloud's SDK.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/loop"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
)

// The order is that in which a query passes the plugins; it is CoreDNS's own (plugin.cfg).
func init() {
	dnsserver.Directives = []string{
		"reload", "prometheus", "errors", "log", "health", "ready",
		"cache", "loadbalance", "loop", "kubernetes", "forward",
	}
}

func main() { coremain.Run() }
