// Package existing rehearses the update of a running server in the cluster where it runs.
//
// It makes copies of the server from a Backup, next to it, and works on these alone. The server itself is read and
// watched. Everything that is made carries the run's label, and is removed again.
package existing

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/newerworld"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
)

// Labels of everything that is made. Nothing without both is removed.
const (
	LabelOwner = "app.kubernetes.io/managed-by"
	Owner      = "rehearsal"
)

// DefaultKubeconfig asks for $KUBECONFIG or ~/.kube/config, which are not read otherwise.
const DefaultKubeconfig = "default"

// ErrNoKubeconfig is returned where the configuration names no kubeconfig.
var ErrNoKubeconfig = errors.New(`cluster.kubeconfig: name a file, or "default" for $KUBECONFIG or ~/.kube/config`)

// Site is a cluster, and the namespace to work in.
type Site struct {
	config  runconfig.Config
	rest    *rest.Config
	client  kubernetes.Interface
	objects dynamic.Interface
	log     *slog.Logger
	settle  time.Duration
}

// Open reads the kubeconfig. It does not speak to the cluster yet.
func Open(config runconfig.Config, log *slog.Logger) (*Site, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	connection, err := connect(config.Cluster)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	objects, err := dynamic.NewForConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return &Site{config: config, rest: connection, client: client, objects: objects, log: log, settle: settle}, nil
}

func connect(c runconfig.Cluster) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	switch c.Kubeconfig {
	case "":
		return nil, ErrNoKubeconfig
	case DefaultKubeconfig:
	default:
		rules = &clientcmd.ClientConfigLoadingRules{ExplicitPath: c.Kubeconfig}
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	connection, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("cluster.kubeconfig: %w", err)
	}
	// A handful of watches and waits at the same time: the client's own default of 5 a second would be the slowest part.
	connection.QPS, connection.Burst = 50, 100
	return connection, nil
}

func (s *Site) namespace() string { return s.config.Cluster.Namespace }

// operator returns the adapter for a run, which owns what it makes.
func (s *Site) operator(run string) (*adapter.Client, error) {
	patterns := make([]*regexp.Regexp, 0, len(s.config.Refusal.LogPatterns))
	for _, text := range s.config.Refusal.LogPatterns {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("refusal.logPatterns: %w", err)
		}
		patterns = append(patterns, pattern)
	}
	fields := s.config.Operator.Fields
	return adapter.New(s.rest, s.namespace(), adapter.Settings{
		Run:              run,
		Labels:           map[string]string{LabelOwner: Owner},
		Repository:       prefixOf(run) + adapter.DefaultRepository,
		Pin:              true,
		NewerWorld:       newerworld.Signs{ExitCodes: s.config.Refusal.ExitCodes, Patterns: patterns},
		PolicyField:      fields.Policy,
		RequestField:     fields.Request,
		PendingField:     fields.Pending,
		RevisionsField:   fields.Revisions,
		BackupImageField: fields.BackupImage,
	})
}

// labels are put on everything that a run makes.
func labels(run string) map[string]string {
	return map[string]string{LabelOwner: Owner, adapter.RunLabel: run}
}

// prefixOf begins the name of everything that a run makes. It is short: a server's name goes into labels.
func prefixOf(run string) string {
	return "rh-" + run[strings.LastIndexByte(run, '-')+1:] + "-"
}

// timeline creates the file that every change of a pod is written to.
func timeline(dir string) (io.WriteCloser, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(dir, "timeline.jsonl"))
}

func duration(d runconfig.Duration) time.Duration { return time.Duration(d) }
