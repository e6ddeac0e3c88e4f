package adapter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/harness/kubelet"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// StartError says that a game did not start because of the network, the registry or the node: it says nothing about the
// game.
type StartError struct {
	Server  string
	Message string // the kubelet's own words, at most 512 bytes
	Pod     *corev1.Pod
}

func (e *StartError) Error() string {
	return fmt.Sprintf("server %s: the game did not start: %s", e.Server, e.Message)
}

// The kubelet gets another try before a failure counts: a registry may be restarting, and a busy node may be slow to
// fetch a Secret.
const (
	outageTries = 2
	retryTime   = 20 * time.Second
)

// starting tracks the failed starts of one server's game while another try may help.
type starting struct {
	server   string
	patience time.Duration
	giveUp   context.CancelCauseFunc // ends the wait, with the failure

	failure error  // *StartError or *Rejected that ends the wait unless a try succeeds; nil if no try failed
	waiting string // last observed reason
	tries   int
	timer   *time.Timer
}

// see records why the container waits, and returns an error if another try would not help.
func (s *starting) see(pod *corev1.Pod) error {
	status := gameStatus(pod)
	if status == nil || status.State.Waiting == nil || kubelet.Exited(status) != nil {
		s.stop()
		return nil
	}
	waiting := status.State.Waiting
	switch {
	case kubelet.IsOutage(waiting):
		if s.failure == nil || !kubelet.SaysNothing(waiting.Message) {
			s.failure = s.outage(pod, waiting)
		}
		// The kubelet alternates between a failed try and the back-off after it.
		if waiting.Reason != s.waiting && (s.tries == 0 || waiting.Reason != "ImagePullBackOff") {
			s.tries++
		}
	case kubelet.IsRetried(waiting.Reason) && kubelet.IsNodeFault(waiting.Message):
		s.failure = s.outage(pod, waiting)
	case kubelet.IsRetried(waiting.Reason):
		s.failure = reject(pod, statement.ReasonCrash, waiting.Reason+": "+waiting.Message)
	default:
		s.stop()
		return nil
	}
	s.waiting = waiting.Reason
	if s.tries >= outageTries {
		return s.failure
	}
	if s.timer == nil {
		failure := s.failure
		s.timer = time.AfterFunc(s.patience, func() { s.giveUp(failure) })
	}
	return nil
}

func (s *starting) outage(pod *corev1.Pod, waiting *corev1.ContainerStateWaiting) *StartError {
	return &StartError{Server: s.server, Message: statement.Excerpt(waiting.Reason + ": " + waiting.Message), Pod: pod}
}

// stop forgets a failure that has passed.
func (s *starting) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.failure, s.waiting, s.tries, s.timer = nil, "", 0, nil
}

// IsInfrastructure reports whether an error is the infrastructure's and says nothing about the operator or a game: the
// API server did not answer or was unavailable, or a game did not start for a reason outside it. A timeout is not one.
func IsInfrastructure(err error) bool {
	if _, ok := errors.AsType[*StartError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*await.TimeoutError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
			apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
	}
	_, network := errors.AsType[*net.OpError](err)
	_, request := errors.AsType[*url.Error](err)
	return network || request
}
