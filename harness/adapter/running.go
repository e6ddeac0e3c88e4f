package adapter

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Expect is what a server is to run.
type Expect struct {
	// Digest is the image's, "sha256:" and 64 hex digits.
	Digest string
	// NotPod is the pod that ran before; empty where there was none.
	NotPod types.UID
}

// Rejected is returned where a server does not run what was expected, and waiting longer would not change that.
type Rejected struct {
	Server  string
	Reason  statement.Reason
	Message string // the kubelet's or the game's own words, at most 512 bytes
	Pod     *corev1.Pod
	Err     error // the context's, where the reason is that time ran out
}

func (e *Rejected) Error() string {
	return fmt.Sprintf("server %s: %s: %s", e.Server, e.Reason, e.Message)
}

// Unwrap returns the context's error where time ran out.
func (e *Rejected) Unwrap() error { return e.Err }

// AwaitRunning waits until the server runs what is expected and returns its pod: another pod than NotPod, of the
// workload's newest revision, ready, and with the image's digest as the container runtime reports it.
//
// It returns *Rejected as soon as the pod cannot get there: at the first failed pull, at the first exit of the game, when
// its container cannot be made for 20 seconds, or when it is ready with another image; and with ReasonNotReady at the
// context's deadline. It returns *StartError where that is because of the network, the registry or the node, at the second
// pull or after 20 seconds. Where the context was cancelled it returns the context's error. No message holds a value of
// the server's Secrets.
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

// arrived reports whether the server runs as expected, or with an error that it will not.
func (c *Client) arrived(seen sight, expect Expect, start *starting) (bool, error) {
	if !seen.current() || !seen.newest() || seen.pod.UID == expect.NotPod {
		start.stop()
		return false, nil
	}
	if err := start.see(seen.pod); err != nil || start.failure != nil {
		return false, err
	}
	done, rejected := c.running(seen, expect)
	if rejected != nil {
		return false, rejected
	}
	return done, nil
}

// verdict is what the end of a wait says of the server. A start that was failing when time ran out is what kept it.
func verdict(err error, server string, pod *corev1.Pod, failure error) error {
	late, isLate := errors.AsType[*await.TimeoutError](err)
	isLate = isLate && errors.Is(err, context.DeadlineExceeded)
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

// running looks at a pod of the newest revision: whether it runs as expected, or never will.
func (c *Client) running(seen sight, expect Expect) (bool, *Rejected) {
	status := gameStatus(seen.pod)
	if status == nil {
		return false, nil
	}
	if waiting := status.State.Waiting; waiting != nil && cannotPull(waiting.Reason) {
		return false, reject(seen.pod, statement.ReasonImagePull, waiting.Reason+": "+waiting.Message)
	}
	if ended := exited(status); ended != nil {
		reason := statement.ReasonCrash
		if c.settings.NewerWorld.says(int(ended.ExitCode), ended.Message) {
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

func cannotPull(reason string) bool {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable":
		return true
	}
	return false
}

// exited returns how the game ended, the last time that it did. A game that ended well is counted too: a server that
// leaves is not one that runs.
func exited(status *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if status.State.Terminated != nil {
		return status.State.Terminated
	}
	return status.LastTerminationState.Terminated
}
