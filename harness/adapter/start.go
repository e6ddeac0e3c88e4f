package adapter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/GameplanePanel/rehearsal/harness/await"
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

// outage matches errors of the network, of a failing registry, and of the runtime's own socket. The kubelet passes on
// the messages of Go's net and net/http, containerd and CRI-O; they have no error codes.
//
// Every alternative contains a space or is an error code, so that no image name in the message can match.
var outage = regexp.MustCompile(`(?i:` +
	`connection (?:refused|reset by peer|timed out)|connection error: |broken pipe|use of closed network connection|` +
	`i/o timeout|no such host|server misbehaving|temporary failure in name resolution|` +
	`no route to host|network is unreachable|host is down|` +
	`TLS handshake| tls: | x509: |server gave HTTP response to HTTPS client|` +
	`context deadline exceeded|context canceled|request canceled|Client\.Timeout exceeded|timeout exceeded while|timeout awaiting response|` +
	`: (?:429|5\d\d)(?: |$)|too many requests| toomanyrequests: |(?:internal server error|bad gateway|service unavailable|gateway timeout)|` +
	`registry is unavailable|pull QPS exceeded)` +
	`|: (?:unexpected )?EOF\b|\bcode = (?:Unavailable|DeadlineExceeded|Canceled|ResourceExhausted)\b`)

// bareBackOff matches the message of older kubelets between two tries: it does not name the cause.
var bareBackOff = regexp.MustCompile(`^Back-off pulling image "[^"]*"$`)

// nodeOutage matches the kubelet's message when it cannot read a ConfigMap or a Secret that may well exist.
var nodeOutage = regexp.MustCompile(`failed to sync (?:configmap|secret) cache`)

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
	if status == nil || status.State.Waiting == nil || exited(status) != nil {
		s.stop()
		return nil
	}
	waiting := status.State.Waiting
	switch {
	case isOutage(waiting):
		if s.failure == nil || !bareBackOff.MatchString(waiting.Message) {
			s.failure = s.outage(pod, waiting)
		}
		// The kubelet alternates between a failed try and the back-off after it.
		if waiting.Reason != s.waiting && (s.tries == 0 || waiting.Reason != "ImagePullBackOff") {
			s.tries++
		}
	case isRetried(waiting.Reason) && (nodeOutage.MatchString(waiting.Message) || outage.MatchString(waiting.Message)):
		s.failure = s.outage(pod, waiting)
	case isRetried(waiting.Reason):
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

// isOutage reports whether a pull failed for a reason other than the image. A back-off without a cause may be an
// outage: the next try shows.
func isOutage(waiting *corev1.ContainerStateWaiting) bool {
	switch waiting.Reason {
	case "RegistryUnavailable":
		return true
	case "ErrImagePull", "ImagePullBackOff":
		return bareBackOff.MatchString(waiting.Message) || outage.MatchString(waiting.Message)
	}
	return false
}

// isRetried reports whether the kubelet retries after this reason: the pod's spec may be the cause, or the node may
// recover.
func isRetried(reason string) bool {
	switch reason {
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return true
	}
	return false
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
