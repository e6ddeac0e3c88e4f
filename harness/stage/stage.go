// Package stage sets up the environment of rehearsals with fixture games: a cluster, the images in its registry, and an
// operator: the reference operator, or Gameplane's own.
package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/backup"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Config configures a stage.
type Config struct {
	Cluster  cluster.Config // Open sets StateDir, Retain and Log
	Out      string         // directory for the timelines, and for the cluster's kubeconfig and logs
	Keep     bool           // do not delete the cluster
	Log      *slog.Logger   // reports the progress, also that of the cluster; nil means no log
	Games    []games.Game   // the candidates to build; Open always builds the baseline
	Operator Operator       // nil means Reference
}

// Stage is a cluster with an operator and a registry of the fixture images.
type Stage struct {
	cluster     *cluster.Cluster
	client      kubernetes.Interface
	images      images
	environment statement.Environment
	config      Config
	closers     []func()
}

// Open sets up a stage. It creates the cluster and builds the images at the same time, and then installs the operator.
// After an error it removes everything again, except logs.
func Open(ctx context.Context, cfg Config) (*Stage, error) {
	cfg.Cluster.StateDir = filepath.Join(cfg.Out, "cluster")
	cfg.Cluster.Retain = cfg.Keep
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Cluster.Log = cfg.Log
	if cfg.Operator == nil {
		cfg.Operator = Reference{}
	}
	s := &Stage{config: cfg}
	if err := s.open(ctx); err != nil {
		err = errors.Join(err, s.Close(ctx))
		_ = os.Remove(cfg.Out) // fails if it holds logs of the failure, which stay
		return nil, err
	}
	return s, nil
}

func (s *Stage) open(ctx context.Context) error {
	if err := os.MkdirAll(s.config.Out, 0o755); err != nil {
		return err
	}
	engine, err := docker.Ping(ctx)
	if err != nil {
		return err
	}
	var images built
	group, grouped := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		s.config.Log.Info("building images and creating a cluster: about half a minute", "architecture", engine.Arch)
		images, err = build(grouped, engine.Arch, s.config.Operator, s.games())
		return err
	})
	group.Go(func() (err error) {
		s.cluster, err = cluster.Create(grouped, s.config.Cluster)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	s.config.Log.Info("pushing images")
	if s.images, err = images.push(ctx, s.cluster); err != nil {
		return err
	}
	if s.client, err = kubernetes.NewForConfig(s.cluster.REST()); err != nil {
		return err
	}
	s.config.Log.Info("installing the operator", "operator", s.config.Operator.name())
	return s.install(ctx)
}

func (s *Stage) install(ctx context.Context) error {
	err := s.config.Operator.install(ctx, s.cluster.REST(), s.images.programs)
	if err != nil {
		return fmt.Errorf("install the operator: %w", err)
	}
	s.environment, err = s.describe(ctx)
	return err
}

// Fleet starts a fleet in a new namespace. The fleet runs until the stage is closed.
func (s *Stage) Fleet(ctx context.Context, namespace string) (*rehearse.Fleet, error) {
	labels := map[string]string{adapter.RunLabel: namespace}
	_, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: labels},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create namespace: %w", err)
	}
	if err := s.config.Operator.bind(ctx, s.cluster.REST(), namespace); err != nil {
		return nil, err
	}
	if err := backup.Deploy(ctx, s.cluster.REST(), backup.Options{Namespace: namespace, Image: s.images.programs[witnessRepo], Labels: labels}); err != nil {
		return nil, err
	}
	operator, err := adapter.New(s.cluster.REST(), namespace, adapter.Settings{})
	if err != nil {
		return nil, err
	}
	environment := s.environment
	if environment.Operator, err = s.operator(ctx, operator); err != nil {
		return nil, err
	}
	recorder, err := s.record(ctx, namespace)
	if err != nil {
		return nil, err
	}
	return rehearse.NewFleet(ctx, rehearse.FleetConfig{
		Operator: operator,
		Witness: &evidence.Witness{
			Config:    s.cluster.REST(),
			Client:    s.client,
			Namespace: namespace,
			Image:     s.images.programs[witnessRepo],
			Labels:    labels,
		},
		Recorder:    recorder,
		Environment: environment,
		Template:    adapter.MinecraftTemplate(namespace, s.images.games[games.Baseline]),
		Baseline:    s.images.of(games.Baseline),
		Log:         s.config.Log,
	})
}

// record watches the pods of a namespace until the stage is closed. It continues after ctx ends, because what happens while
// a rehearsal stops is evidence too.
func (s *Stage) record(ctx context.Context, namespace string) (*evidence.Recorder, error) {
	timeline, err := os.Create(filepath.Join(s.config.Out, namespace+".timeline.jsonl"))
	if err != nil {
		return nil, err
	}
	recorder, err := evidence.Record(context.WithoutCancel(ctx), s.client, namespace, timeline)
	if err != nil {
		timeline.Close()
		return nil, err
	}
	s.closers = append(s.closers, func() {
		recorder.Stop()
		timeline.Close()
	})
	return recorder, nil
}

// Close stops the recorders and deletes the cluster, unless Config.Keep is set. It also works after ctx has ended.
func (s *Stage) Close(ctx context.Context) error {
	for _, end := range s.closers {
		end()
	}
	if s.cluster == nil {
		return nil
	}
	if s.config.Keep {
		s.config.Log.Info("the cluster stays: inspect it with kubectl --kubeconfig FILE --namespace rehearsal get pods, and remove it with rehearsal cleanup",
			"cluster", s.cluster.Name(), "kubeconfig", s.cluster.Kubeconfig())
		return nil
	}
	return s.cluster.Delete(ctx)
}

// logsDeadline bounds the collection of a cluster's logs.
const logsDeadline = 2 * time.Minute

// Logs saves the cluster's logs next to the timelines.
func (s *Stage) Logs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, logsDeadline)
	defer cancel()
	return s.cluster.Logs(ctx, filepath.Join(s.config.Out, "logs"))
}

// games returns the games to build, each once.
func (s *Stage) games() []games.Game {
	all := []games.Game{games.Baseline}
	for _, game := range s.config.Games {
		if game != games.Unpullable && !slices.Contains(all, game) {
			all = append(all, game)
		}
	}
	return all
}

// Image returns the image of a game, as package rehearse takes it.
func (s *Stage) Image(game games.Game) rehearse.Image { return s.images.of(game) }

// Environment returns the description of the cluster that receipts record.
func (s *Stage) Environment() statement.Environment { return s.environment }

// REST returns the client configuration of the cluster.
func (s *Stage) REST() *rest.Config { return s.cluster.REST() }

// Client returns a client of the cluster.
func (s *Stage) Client() kubernetes.Interface { return s.client }

// Kubeconfig returns the path of the cluster's kubeconfig.
func (s *Stage) Kubeconfig() string { return s.cluster.Kubeconfig() }

// Registry returns the registry's address in the cluster, and on this machine.
func (s *Stage) Registry() (pull, push string) { return s.cluster.Registry(), s.cluster.PushAddress() }

// WitnessImage returns the harness's own image, by digest.
func (s *Stage) WitnessImage() string { return s.images.programs[witnessRepo] }

// Out returns the directory of the timelines and logs.
func (s *Stage) Out() string { return s.config.Out }
