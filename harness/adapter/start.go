package adapter

import (
	"context"
	"fmt"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// StartError is returned where a game could not be started for a reason that says nothing of it: the network, the
// registry's own failure, or the node's.
type StartError struct {
	Server  string
	Message string // the kubelet's own words, at most 512 bytes
	Pod     *corev1.Pod
}

func (e *StartError) Error() string {
	return fmt.Sprintf("server %s: game could not be started: %s", e.Server, e.Message)
}

// outage matches the words of the network, of a registry that is not well, and of the runtime's own socket. The kubelet
// passes on what Go's net and net/http, containerd and CRI-O say; there are no codes to go by.
//
// Every alternative holds a space or is an error code's, so that no image's name, which the message repeats, can match.
var outage = regexp.MustCompile(`(?i:` +
	`connection (?:refused|reset by peer|timed out)|connection error: |broken pipe|use of closed network connection|` +
	`i/o timeout|no such host|server misbehaving|temporary failure in name resolution|` +
	`no route to host|network is unreachable|host is down|` +
	`TLS handshake| tls: | x509: |server gave HTTP response to HTTPS client|` +
	`context deadline exceeded|context canceled|request canceled|Client\.Timeout exceeded|timeout exceeded while|timeout awaiting response|` +
	`: (?:429|5\d\d)(?: |$)|too many requests| toomanyrequests: |(?:internal server error|bad gateway|service unavailable|gateway timeout)|` +
	`registry is unavailable|pull QPS exceeded)` +
	`|: (?:unexpected )?EOF\b|\bcode = (?:Unavailable|DeadlineExceeded|Canceled|ResourceExhausted)\b`)

// bareBackOff is what older kubelets say between two tries: nothing of the cause.
var bareBackOff = regexp.MustCompile(`^Back-off pulling image "[^"]*"$`)

// nodeOutage matches what the kubelet says where it could not get at a ConfigMap or a Secret that may well be there.
var nodeOutage = regexp.MustCompile(`failed to sync (?:configmap|secret) cache`)

// Before a failure counts as one, the kubelet is given another try: a registry may be restarting, and a busy node may
// not know a Secret in time.
const (
	outageTries = 2
	retryTime   = 20 * time.Second
)

// starting follows the failed starts of one server's game, for as long as another try may help.
type starting struct {
	server   string
	patience time.Duration
	giveUp   context.CancelCauseFunc // ends the wait, with the failure

	failure error  // *StartError or *Rejected, which the wait ends with unless a try succeeds; nil where none failed
	waiting string // reason that was seen last
	tries   int
	timer   *time.Timer
}

// see takes note of how the container waits, and returns an error where another try would not help.
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
		// The kubelet goes back and forth between the failure of a try and the pause after it.
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

// stop forgets a failure that is over.
func (s *starting) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.failure, s.waiting, s.tries, s.timer = nil, "", 0, nil
}

// isOutage reports whether a pull failed for a reason that is not the image's. A pause without a cause may be for one: the
// next try tells.
func isOutage(waiting *corev1.ContainerStateWaiting) bool {
	switch waiting.Reason {
	case "RegistryUnavailable":
		return true
	case "ErrImagePull", "ImagePullBackOff":
		return bareBackOff.MatchString(waiting.Message) || outage.MatchString(waiting.Message)
	}
	return false
}

// isRetried are waits that the pod's own specification may cause, or that the node may be done with at the next try.
func isRetried(reason string) bool {
	switch reason {
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return true
	}
	return false
}
