package existing

import (
	"context"
	"crypto"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/backup"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// NewID names a run: when it begins, and enough letters that two of one second differ.
func NewID() string {
	return strings.ToLower(time.Now().UTC().Format("20060102-150405") + "-" + rand.Text()[:4])
}

// Options are what a run needs in addition to the configuration.
type Options struct {
	ID        string // of the run; its last part, after a dash, begins the names of all objects
	Dir       string // made for the run
	Challenge string // the gate's nonce, "" where it gave none
	Signer    crypto.Signer
	Keep      bool   // leave everything in the cluster for a look
	Program   string // the rehearsal command, of which the witness's image is made; the running program where it is ""
}

// Played is what came of one candidate.
type Played struct {
	Candidate rehearse.Image
	Dir       string // with the receipts and the manifest
	Receipts  []statement.Receipt
}

// cleanupTime bounds the removal of what a run has made.
const cleanupTime = 5 * time.Minute

// Play rehearses every candidate, one after the other, and removes everything again, also after a failure and when ctx
// ends. It calls Preflight first, and makes nothing where that finds a problem.
func (s *Site) Play(ctx context.Context, o Options) (played []Played, err error) {
	if err := s.Preflight(ctx); err != nil {
		return nil, err
	}
	operator, err := s.operator(o.ID)
	if err != nil {
		return nil, err
	}
	model, err := operator.Model(ctx, s.config.Server.Name)
	if err != nil {
		return nil, err
	}
	s.log.Info("making and pushing the harness's images", "registry", s.config.Images.Registry)
	images, err := s.prepareImages(ctx, o.Program, model)
	if err != nil {
		return nil, err
	}
	out, err := timeline(o.Dir)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	// The recorder outlives ctx: what happens while a run is being stopped belongs to the evidence, too.
	recorder, err := evidence.Record(context.WithoutCancel(ctx), s.client, s.namespace(), out)
	if err != nil {
		return nil, err
	}
	defer recorder.Stop()
	if !o.Keep {
		defer func() { err = errors.Join(err, s.tidy(ctx, o.ID)) }()
	}
	fleet, err := s.fleet(ctx, o, operator, model, images, recorder)
	if err != nil {
		return nil, err
	}
	for i, candidate := range images.candidates {
		receipts, dir, err := s.playCandidate(ctx, o, fleet, images, i)
		played = append(played, Played{Candidate: candidate, Dir: dir, Receipts: receipts})
		if err != nil {
			return played, err
		}
	}
	return played, nil
}

func (s *Site) tidy(ctx context.Context, run string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	s.log.Info("removing what the run made")
	if _, err := s.Cleanup(ctx, run); err != nil {
		return fmt.Errorf("something of run %s is left (see rehearsal cleanup --config): %w", run, err)
	}
	return nil
}

// fleet restores the Backup into a member, and takes the backup of it that the clones come from.
func (s *Site) fleet(ctx context.Context, o Options, operator *adapter.Client, model *adapter.Model, images images, recorder *evidence.Recorder) (*rehearse.Fleet, error) {
	environment, err := s.environment(ctx, operator)
	if err != nil {
		return nil, err
	}
	prefix := prefixOf(o.ID)
	if err := s.openNetwork(ctx, o.ID); err != nil {
		return nil, err
	}
	s.log.Info("starting the run's own restic repository")
	err = backup.Deploy(ctx, s.rest, backup.Options{
		Namespace: s.namespace(), Prefix: prefix, Image: images.witness, Labels: labels(o.ID), PullSecret: s.config.Images.PullSecret,
	})
	if err != nil {
		return nil, err
	}
	return rehearse.NewFleet(ctx, rehearse.FleetConfig{
		Operator: operator,
		Witness: &evidence.Witness{
			Config: s.rest, Client: s.client, Namespace: s.namespace(), Image: images.witness,
			Labels: labels(o.ID), PullSecret: s.config.Images.PullSecret,
		},
		Recorder:    recorder,
		Environment: environment,
		Baseline:    images.baseline,
		Source:      &rehearse.Source{Model: model, Backup: s.config.Seed.Backup, Env: s.env()},
		Prefix:      prefix,
		Game:        s.game(),
		Limits:      limitsOf(s.config.Limits),
		Keep:        o.Keep,
		Log:         s.log,
	})
}

// playCandidate plays the update to one candidate, and the controls, in one run.
func (s *Site) playCandidate(ctx context.Context, o Options, fleet *rehearse.Fleet, images images, i int) ([]statement.Receipt, string, error) {
	candidate := images.candidates[i]
	dir, id := o.Dir, o.ID
	if len(images.candidates) > 1 {
		dir, id = filepath.Join(o.Dir, fmt.Sprintf("%d-%s", i+1, fileName(candidate.Name))), fmt.Sprintf("%s-%d", o.ID, i+1)
	}
	run, err := rehearse.NewRun(rehearse.RunConfig{
		Dir: dir, ID: id, Challenge: o.Challenge, Architecture: fleet.Environment().Architecture, Updates: s.updates(images, i), Signer: o.Signer,
	})
	if err != nil {
		return nil, dir, err
	}
	receipts, err := fleet.Play(ctx, run, 1)
	return receipts, dir, errors.Join(err, run.Close())
}

// fileName keeps of a candidate's name what a directory may be called.
func fileName(name string) string {
	out := []rune(name)
	for i, r := range out {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '.' && r != '-' {
			out[i] = '-'
		}
	}
	return string(out)
}

func (s *Site) game() rehearse.Game {
	g := s.config.Game
	return rehearse.Game{Port: g.Port, Protocol: g.Protocol, Player: g.Player, Stop: duration(s.config.Limits.Stop)}
}

// updates are a candidate's update and the controls that are played with it.
func (s *Site) updates(images images, i int) []rehearse.Update {
	suffix := fmt.Sprintf("%d-", i+1)
	updates := []rehearse.Update{{Scenario: statement.ScenarioUpdate, Candidate: images.candidates[i], Suffix: suffix}}
	for _, control := range s.config.Controls {
		image := images.unpullable
		if control == statement.ScenarioHTTPOnly {
			image = images.httpOnly
		}
		updates = append(updates, rehearse.Update{Scenario: control, Candidate: image, Suffix: suffix})
	}
	return updates
}

func (s *Site) env() map[string]string {
	env := map[string]string{}
	for _, variable := range s.config.Server.Env {
		env[variable.Name] = variable.Value
	}
	return env
}
