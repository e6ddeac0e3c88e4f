// Package kubelet reads what the kubelet says of a container: whether a pull can succeed later, and how a game ended.
package kubelet

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
)

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

// IsOutage reports whether a pull failed for a reason other than the image. A back-off without a cause may be an
// outage: the next try shows.
func IsOutage(waiting *corev1.ContainerStateWaiting) bool {
	switch waiting.Reason {
	case "RegistryUnavailable":
		return true
	case "ErrImagePull", "ImagePullBackOff":
		return bareBackOff.MatchString(waiting.Message) || outage.MatchString(waiting.Message)
	}
	return false
}

// IsRetried reports whether the kubelet retries after this reason: the pod's spec may be the cause, or the node may
// recover.
func IsRetried(reason string) bool {
	switch reason {
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return true
	}
	return false
}

// CannotPull reports whether a container waits because its image cannot be pulled.
func CannotPull(reason string) bool {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable":
		return true
	}
	return false
}

// Exited returns the game's last exit. An exit with code 0 counts too: a server that exits does not run.
func Exited(status *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if status.State.Terminated != nil {
		return status.State.Terminated
	}
	return status.LastTerminationState.Terminated
}

// SaysNothing reports whether a message names no cause: the kubelet backs off between two tries.
func SaysNothing(message string) bool { return bareBackOff.MatchString(message) }

// IsNodeFault reports whether a message speaks of the network, a registry or the node, and not of the image.
func IsNodeFault(message string) bool {
	return nodeOutage.MatchString(message) || outage.MatchString(message)
}

// Lost says why a pod cannot run for a reason that lies with the cluster, or "": no node has room for it, or its node gave
// it up. What its containers say then says nothing of the game.
func Lost(pod *corev1.Pod) string {
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" { // such as Evicted; of a game that ends there is none
		return pod.Status.Reason + ": " + pod.Status.Message
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse ||
			condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return condition.Reason + ": " + condition.Message
		}
	}
	return ""
}
