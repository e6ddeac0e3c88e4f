package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const (
	witnessBinary = "/usr/local/bin/witness"
	playerName    = "rehearsal"
	// nowhere is an address at which nothing listens: a probe that gets in there would get in anywhere.
	nowhere = "127.0.0.1:1"
	// routeGrace is how long a refused connection is tried again: kube-proxy programs a Service's new endpoint
	// a moment after the API says that it is ready, and offers nothing to watch.
	routeGrace = 10 * time.Second
	routeRetry = 200 * time.Millisecond
	// execGrace is what the way to the player's pod and back may take beside the visit, which keeps its own deadline.
	execGrace = 30 * time.Second
)

// Player is a pod from which a player joins servers by their Service, as people do.
type Player struct {
	witness *Witness
	pod     string
}

// Visit says what a player does on a server.
type Visit struct {
	Address   string        // host:port
	Hold      time.Duration // time to stay in the game
	Deadline  time.Duration // for the whole visit, dialling included
	SetMarker string        // 16 hex digits to leave in the world; "" leaves only a trace of the visit
	WantTrace string        // trace that an earlier visit left, "" for any
}

// Visited is what came of a visit.
type Visited struct {
	statement.Join
	Trace string // random, left in the world for a later visit to find; "" where the player did not get that far
}

// WorldLost says that the player was in play and missed something in the world.
func (v Visited) WorldLost() bool {
	return v.Class == string(join.ClassTraceLost) || v.Class == string(join.ClassMarkerLost) || v.Class == string(join.ClassNoWorld)
}

// NewPlayer starts a player's pod and waits until it runs.
func (w *Witness) NewPlayer(ctx context.Context, name string) (*Player, error) {
	pod := w.podFor(name, []string{"hold"}, nil, true)
	if _, err := w.Client.CoreV1().Pods(w.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create player pod: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, podDeadline)
	defer cancel()
	_, err := w.await(ctx, name, "run", func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodRunning
	})
	if err != nil {
		return nil, err
	}
	return &Player{witness: w, pod: name}, nil
}

// Join visits a server and says how far the player got. Its error is the harness's own: a server that lets
// nobody in is a result, not an error. With every visit goes a control: the same probe, at an address where
// nothing listens, must fail.
func (p *Player) Join(ctx context.Context, visit Visit) (Visited, error) {
	control, err := p.probe(ctx, Visit{Address: nowhere, Deadline: time.Second})
	if err != nil {
		return Visited{}, fmt.Errorf("join control: %w", err)
	}
	retries, cancel := context.WithTimeout(ctx, routeGrace)
	defer cancel()
	for {
		result, err := p.probe(ctx, visit)
		if err != nil {
			return Visited{}, fmt.Errorf("join %s: %w", visit.Address, err)
		}
		if result.Class != join.ClassConnect || !pause(retries, routeRetry) {
			return Visited{Join: asReceipt(result, control.Depth == ""), Trace: result.Left}, nil
		}
	}
}

// pause waits for d and says whether the context is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *Player) probe(ctx context.Context, visit Visit) (join.Result, error) {
	command := []string{witnessBinary, "probe", visit.Address, "--json", "--name", playerName,
		"--deadline", visit.Deadline.String(), "--hold", visit.Hold.String()}
	if visit.SetMarker != "" {
		command = append(command, "--set-marker", visit.SetMarker)
	}
	if visit.WantTrace != "" {
		command = append(command, "--want-trace", visit.WantTrace)
	}
	ctx, cancel := context.WithTimeout(ctx, visit.Deadline+visit.Hold+execGrace)
	defer cancel()
	output, err := p.witness.exec(ctx, p.pod, command)
	if err != nil {
		return join.Result{}, err
	}
	var result join.Result
	if err := json.Unmarshal(output, &result); err != nil {
		return join.Result{}, fmt.Errorf("output of probe: %w", err)
	}
	return result, nil
}

func asReceipt(result join.Result, control bool) statement.Join {
	return statement.Join{
		Depth:    string(result.Depth),
		Class:    string(result.Class),
		Evidence: statement.Excerpt(result.Evidence),
		Protocol: result.Protocol,
		Version:  statement.Excerpt(result.Version),
		Player:   result.Player,
		Marker:   result.Marker,
		Millis:   result.Millis,
		HTTP:     statement.Excerpt(result.HTTP),
		Control:  control,
	}
}
