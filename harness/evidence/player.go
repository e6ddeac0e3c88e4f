package evidence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const (
	witnessBinary = "/usr/local/bin/witness"
	playerName    = "rehearsal"
	// nowhere is an address where nothing listens: a probe that succeeds there proves nothing elsewhere.
	nowhere = "127.0.0.1:1"
	// routeGrace bounds the retries of a refused connection: kube-proxy programs a Service's new endpoint shortly after
	// the API reports it as ready, and offers nothing to watch.
	routeGrace = 10 * time.Second
	routeRetry = 200 * time.Millisecond
	// execGrace is time for the connection to the player's pod, in addition to the probe's own deadline.
	execGrace = 30 * time.Second
)

// Player is a pod from which a player joins servers through their Service, as people do.
type Player struct {
	witness *Witness
	pod     string
}

// Session describes what a player does on a server.
type Session struct {
	Address   string        // host:port
	Hold      time.Duration // time to stay in the game
	Deadline  time.Duration // for the whole session, dialling included
	Player    string        // name of the player: "rehearsal" by default
	Protocol  int           // version of the protocol; what the server's status names by default
	SetMarker string        // 16 hex digits to leave in the world; "" leaves only a trace of the session
	WantTrace string        // trace that an earlier session left, "" for any
}

// SessionResult is the outcome of a session.
type SessionResult struct {
	statement.Join
	Trace string // random, left in the world for a later session to find; "" if the player did not get that far
}

// WorldLost reports whether the player was in play and something in the world was missing.
func (r SessionResult) WorldLost() bool {
	return r.Class == string(join.ClassTraceLost) || r.Class == string(join.ClassMarkerLost) || r.Class == string(join.ClassNoWorld)
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

// Join plays a session on a server and reports how far the player got. An error is the harness's own: a server that
// lets nobody in is a result, not an error. Every session has a control: the same probe must fail at an address where
// nothing listens.
func (p *Player) Join(ctx context.Context, session Session) (SessionResult, error) {
	control, err := p.probe(ctx, Session{Address: nowhere, Deadline: time.Second})
	if err != nil {
		return SessionResult{}, fmt.Errorf("join control: %w", err)
	}
	retries, cancel := context.WithTimeout(ctx, routeGrace)
	defer cancel()
	for {
		result, err := p.probe(ctx, session)
		if err != nil {
			return SessionResult{}, fmt.Errorf("join %s: %w", session.Address, err)
		}
		if result.Class != join.ClassConnect || !pause(retries, routeRetry) {
			return SessionResult{Join: asReceipt(result, control.Depth == ""), Trace: result.Left}, nil
		}
	}
}

// pause waits for d and reports whether the context is still alive.
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

func (p *Player) probe(ctx context.Context, session Session) (join.Result, error) {
	command := []string{witnessBinary, "probe", session.Address, "--json", "--name", cmp.Or(session.Player, playerName),
		"--deadline", session.Deadline.String(), "--hold", session.Hold.String()}
	if session.Protocol != 0 {
		command = append(command, "--protocol", strconv.Itoa(session.Protocol))
	}
	if session.SetMarker != "" {
		command = append(command, "--set-marker", session.SetMarker)
	}
	if session.WantTrace != "" {
		command = append(command, "--want-trace", session.WantTrace)
	}
	ctx, cancel := context.WithTimeout(ctx, session.Deadline+session.Hold+execGrace)
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
