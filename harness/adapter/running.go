package adapter

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/harness/kubelet"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Expect describes what a server should run.
type Expect struct {
	// Digest is the image's digest: "sha256:" and 64 hex digits.
	Digest string
	// NotPod is the UID of the previous pod; empty if there was none.
	NotPod types.UID
}

// Rejected says that a server does not run as expected, and that waiting longer would not help.
type Rejected struct {
	Server  string
	Reason  statement.Reason
	Message string // the kubelet's or the game's own words, at most 512 bytes
	Pod     *corev1.Pod
	Err     error // the context's error if the wait timed out
}

func (e *Rejected) Error() string {
	return fmt.Sprintf("server %s: %s: %s", e.Server, e.Reason, e.Message)
}

// Unwrap returns the context's error if the wait timed out.
func (e *Rejected) Unwrap() error { return e.Err }

// AwaitRunning waits until the server runs as expected and returns its pod. The pod is not NotPod, it is of the
// workload's newest revision, it is ready, and the container runtime reports the expected digest.
//
// It returns *Rejected as soon as the pod cannot get there: at the first failed pull, at the first exit of the game, if
// its container cannot be created for 20 seconds, or if it is ready with another image. At the context's deadline it
// returns *Rejected with ReasonNotReady. If the network, the registry or the node is the cause, it returns *StartError
// at the second failed pull or after 20 seconds; at the deadline if no node has room for the pod, or its node gave it up. If
// the context was cancelled, it returns the context's error. No
// message holds a value of the server's Secrets.
func (c *Client) AwaitRunning(ctx context.Context, server string, expect Expect) (*corev1.Pod, error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	start := starting{server: server, patience: c.patience, giveUp: giveUp}
	var pod *corev1.Pod
	look := func(ctx context.Context) (bool, string, error) {
		seen, err := c.see(ctx, server)
		if err != nil {
			return false, "", err
		}
		pod = seen.pod
		done, err := c.arrived(seen, expect, &start)
		return done, seen.String(), err
	}
	err := c.await(ctx, "server "+server, look, subjectsOf(server)...)
	failure := start.failure
	start.stop()
	if err == nil {
		return pod, nil
	}
	return nil, verdict(err, server, pod, failure)
}

// arrived reports whether the server runs as expected. It returns an error if the server never will.
func (c *Client) arrived(seen observation, expect Expect, start *starting) (bool, error) {
	if !seen.current() || !seen.newest() || seen.pod.UID == expect.NotPod || kubelet.Lost(seen.pod) != "" {
		start.stop()
		return false, nil
	}
	if err := start.see(seen.pod); err != nil || start.failure != nil {
		return false, err
	}
	done, rejected := c.evaluate(seen, expect)
	if rejected != nil {
		return false, rejected
	}
	return done, nil
}

// verdict turns the end of a wait into the server's error. If a start was failing at the deadline, that is the reason.
func verdict(err error, server string, pod *corev1.Pod, failure error) error {
	late, isLate := errors.AsType[*await.TimeoutError](err)
	isLate = isLate && errors.Is(err, context.DeadlineExceeded)
	if isLate && failure == nil && pod != nil && kubelet.Lost(pod) != "" {
		failure = &StartError{Server: server, Message: statement.Excerpt(kubelet.Lost(pod)), Pod: pod}
	}
	if isLate && failure != nil {
		err = failure
	}
	if rejected, ok := errors.AsType[*Rejected](err); ok {
		rejected.Server = server
		return rejected
	}
	if failed, ok := errors.AsType[*StartError](err); ok {
		return failed
	}
	if !isLate {
		return err
	}
	return &Rejected{Server: server, Reason: statement.ReasonNotReady, Message: statement.Excerpt(late.Last), Pod: pod, Err: err}
}

// evaluate reports whether a pod of the newest revision runs as expected, or why it never will.
func (c *Client) evaluate(seen observation, expect Expect) (bool, *Rejected) {
	status := gameStatus(seen.pod)
	if status == nil {
		return false, nil
	}
	if waiting := status.State.Waiting; waiting != nil && kubelet.CannotPull(waiting.Reason) {
		return false, reject(seen.pod, statement.ReasonImagePull, waiting.Reason+": "+waiting.Message)
	}
	if ended := kubelet.Exited(status); ended != nil {
		reason := statement.ReasonCrash
		if c.settings.NewerWorld.In(int(ended.ExitCode), ended.Message) {
			reason = statement.ReasonNewerWorld
		}
		return false, reject(seen.pod, reason, fmt.Sprintf("exit code %d: %s", ended.ExitCode, ended.Message))
	}
	if waiting := status.State.Waiting; waiting != nil && waiting.Reason == "CrashLoopBackOff" {
		return false, reject(seen.pod, statement.ReasonCrash, waiting.Reason+": "+waiting.Message)
	}
	if !seen.ready() {
		return false, nil
	}
	if statement.ImageDigest(status.ImageID) != expect.Digest {
		return false, reject(seen.pod, statement.ReasonWrongImage, fmt.Sprintf("runs %s, not %s", status.ImageID, expect.Digest))
	}
	return seen.set.Status.CurrentRevision == seen.set.Status.UpdateRevision && seen.set.Status.ReadyReplicas == 1, nil
}

func reject(pod *corev1.Pod, reason statement.Reason, message string) *Rejected {
	return &Rejected{Reason: reason, Message: statement.Excerpt(message), Pod: pod}
}
