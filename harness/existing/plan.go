package existing

import (
	"fmt"
	"io"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
)

// Plan writes what a run would make, read, and leave alone. It asks the cluster for nothing.
func (s *Site) Plan(out io.Writer, run string) {
	c := s.config
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	prefix := prefixOf(run)
	line("Cluster")
	line("  API server  %s", s.rest.Host)
	line("  namespace   %s", s.namespace())
	line("Reads, and never changes")
	line("  GameServer %s, its pod, claims and template", c.Server.Name)
	line("  Backup %s; the operator restores it, and writes nothing into its repository", c.Seed.Backup)
	line("  Secrets of clones and repository, to take their values out of messages")
	line("Makes, with the labels %s=%s and %s=RUN, and removes at the end", LabelOwner, Owner, adapter.RunLabel)
	line("  GameServer %sfleet-a: a copy, restored from the Backup; a player joins it and leaves a marker", prefix)
	line("  Deployment, Service and Secrets %srest-server, %s: a restic repository of the run", prefix, prefix+adapter.DefaultRepository)
	line("  Backup %sbefore-update of %sfleet-a", prefix, prefix)
	for i, candidate := range c.Candidates {
		cases := append([]string{"update"}, c.Controls...)
		for _, scenario := range cases {
			line("  GameServer and Restores %sclone-%d-%s, for %s", prefix, i+1, strings.ReplaceAll(scenario, "/", "-"), candidate.Name)
		}
	}
	line("  NetworkPolicies %sown-pods, %scopies, and %sclosed where egress is closed", prefix, prefix, prefix)
	line("  pods %splayer and %s…: the harness's own, without a token of a service account", prefix, prefix)
	line("Images")
	line("  pushed to %s: %s, %s", c.Images.Registry, witnessRepo, httpOnlyRepo)
	baseline := c.Baseline.Image
	if baseline == "" {
		baseline = "what " + c.Server.Name + " runs"
	}
	line("  baseline    %s", baseline)
	for _, candidate := range c.Candidates {
		line("  candidate   %s  %s", candidate.Name, candidate.Image)
	}
	line("Publishes nothing: no NodePort, LoadBalancer, Ingress or DNS name; a copy leaves out the server's networking")
}
