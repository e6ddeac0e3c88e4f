package adapter

import (
	"context"
	"fmt"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// PullError is returned where an image could not be pulled for a reason that says nothing of it: the network, or the
// registry's own failure.
type PullError struct {
	Server  string
	Message string // the kubelet's own words, at most 512 bytes
	Pod     *corev1.Pod
}

func (e *PullError) Error() string {
	return fmt.Sprintf("server %s: image could not be pulled: %s", e.Server, e.Message)
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

// Before an outage counts as one, the kubelet is given another try: a registry may be restarting.
const (
	outageTries = 2
	outageTime  = 20 * time.Second
)

// pulling follows the failed pulls of one server's pod.
type pulling struct {
	patience time.Duration
	giveUp   context.CancelCauseFunc // ends the wait, with a *PullError

	failure *PullError // the outage that lasts; nil where there is none
	waiting string     // reason that was seen last
	tries   int
	timer   *time.Timer
}

// see takes note of how the container waits, and returns an error where another try would not help.
func (p *pulling) see(pod *corev1.Pod) error {
	status := gameStatus(pod)
	if status == nil || status.State.Waiting == nil || !isOutage(status.State.Waiting) {
		p.stop()
		return nil
	}
	reason, message := status.State.Waiting.Reason, status.State.Waiting.Message
	if p.failure == nil || !bareBackOff.MatchString(message) {
		p.failure = &PullError{Message: clip(reason + ": " + message), Pod: pod}
	}
	// The kubelet goes back and forth between the failure of a try and the pause after it.
	if reason != p.waiting && (p.tries == 0 || reason != "ImagePullBackOff") {
		p.tries++
	}
	p.waiting = reason
	if p.tries >= outageTries {
		return p.failure
	}
	if p.timer == nil {
		failure := p.failure
		p.timer = time.AfterFunc(p.patience, func() { p.giveUp(failure) })
	}
	return nil
}

// stop forgets an outage that is over.
func (p *pulling) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.failure, p.waiting, p.tries, p.timer = nil, "", 0, nil
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
