package adapter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const (
	// resolving is the start of containerd's messages.
	resolving = `failed to pull and unpack image "registry:5000/game@sha256:aaaa": failed to resolve reference "registry:5000/game@sha256:aaaa": `
	unknown   = "rpc error: code = Unknown desc = " + resolving
	head      = `failed to do request: Head "https://registry:5000/v2/game/manifests/sha256:aaaa": `
	status    = "unexpected status from HEAD request to https://registry:5000/v2/game/manifests/sha256:aaaa: "
	backOff   = `Back-off pulling image "registry:5000/game@sha256:aaaa"`
)

// pullMessages are messages that the kubelet puts into a container's status. Each entry says whether it is an outage.
var pullMessages = []struct {
	name, reason, message string
	outage                bool
}{
	{"refused", "ErrImagePull", unknown + head + "dial tcp 172.18.0.5:5000: connect: connection refused", true},
	{"refused, back-off", "ImagePullBackOff", backOff + ": ErrImagePull: " + unknown + head + "dial tcp 172.18.0.5:5000: connect: connection refused", true},
	{"refused, containerd 2", "ErrImagePull", resolving + head + "dial tcp 172.18.0.5:5000: connect: connection refused", true},
	{"dial times out", "ErrImagePull", unknown + head + "dial tcp 172.18.0.5:5000: i/o timeout", true},
	{"no route", "ErrImagePull", unknown + head + "dial tcp 172.18.0.5:5000: connect: no route to host", true},
	{"unknown host", "ErrImagePull", unknown + head + "dial tcp: lookup registry on 10.96.0.10:53: no such host", true},
	{"no DNS server", "ErrImagePull", unknown + head + "dial tcp: lookup registry on 10.96.0.10:53: server misbehaving", true},
	{"TLS handshake", "ErrImagePull", unknown + head + "net/http: TLS handshake timeout", true},
	{"certificate", "ErrImagePull", unknown + head + "tls: failed to verify certificate: x509: certificate signed by unknown authority", true},
	{"certificate, containerd 1.6", "ErrImagePull", unknown + head + "x509: certificate has expired or is not yet valid: current time is after", true},
	{"plain HTTP", "ErrImagePull", unknown + head + "http: server gave HTTP response to HTTPS client", true},
	{"EOF", "ErrImagePull", unknown + head + "EOF", true},
	{"EOF in a layer", "ErrImagePull", `rpc error: code = FailedPrecondition desc = failed to pull and unpack image "registry:5000/game@sha256:aaaa": failed commit on ref "layer-sha256:bbbb": "layer-sha256:bbbb" failed size validation: 5 != 9: unexpected EOF`, true},
	{"reset", "ErrImagePull", unknown + head + "read tcp 172.18.0.2:53814->172.18.0.5:5000: read: connection reset by peer", true},
	{"deadline", "ErrImagePull", "rpc error: code = DeadlineExceeded desc = " + resolving + head + "context deadline exceeded", true},
	{"stalled", "ErrImagePull", `rpc error: code = Canceled desc = failed to pull and unpack image "registry:5000/game@sha256:aaaa": context canceled`, true},
	{"runtime is down", "ErrImagePull", `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"`, true},
	{"503, containerd 2", "ErrImagePull", "rpc error: code = Unavailable desc = " + resolving + status + "503 Service Unavailable", true},
	{"500, containerd 1.7", "ErrImagePull", unknown + status + "500 Internal Server Error", true},
	{"502, containerd 1.6", "ErrImagePull", unknown + "unexpected status code [manifests sha256:aaaa]: 502 Bad Gateway", true},
	{"503 of the token server", "ErrImagePull", unknown + "failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth/token?scope=x: 503 Service Unavailable", true},
	{"rate limit", "ErrImagePull", unknown + status + "429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit", true},
	{"kubelet's own limit", "ErrImagePull", "pull QPS exceeded", true},
	{"registry unavailable", "RegistryUnavailable", "image pull failed for registry:5000/game@sha256:aaaa because the registry is unavailable", true},
	{"CRI-O", "ErrImagePull", `pinging container registry registry:5000: Get "https://registry:5000/v2/": dial tcp 172.18.0.5:5000: connect: connection refused`, true},
	{"back-off without a cause", "ImagePullBackOff", backOff, true},

	{"not found", "ErrImagePull", "rpc error: code = NotFound desc = " + resolving + "registry:5000/game@sha256:aaaa: not found", false},
	{"not found, back-off", "ImagePullBackOff", backOff + ": ErrImagePull: rpc error: code = NotFound desc = " + resolving + "registry:5000/game@sha256:aaaa: not found", false},
	{"not found, containerd 2", "ErrImagePull", resolving + "registry:5000/game@sha256:aaaa: not found", false},
	{"names that sound like an outage", "ErrImagePull", "rpc error: code = NotFound desc = registry:503/connection-refused/eof/tls/5xx:EOF: not found", false},
	{"manifest unknown", "ErrImagePull", "reading manifest sha256:aaaa in registry:5000/game: manifest unknown", false},
	{"unauthorized", "ErrImagePull", unknown + "failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth/token?scope=x: 401 Unauthorized", false},
	{"denied", "ErrImagePull", unknown + "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed", false},
	{"forbidden", "ErrImagePull", unknown + status + "403 Forbidden", false},
	{"wrong architecture", "ErrImagePull", `rpc error: code = NotFound desc = failed to pull and unpack image "registry:5000/game@sha256:aaaa": no match for platform in manifest: not found`, false},
	{"invalid name", "InvalidImageName", `Failed to apply default image tag "game@": couldn't parse image name "game@": invalid reference format`, false},
	{"never pulled", "ErrImageNeverPull", `Container image "registry:5000/game@sha256:aaaa" is not present with pull policy of Never`, false},
}

func waitsWith(reason, message string) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		waits(reason)(pod, status)
		status.State.Waiting.Message = message
	}
}

// TestPullMessages: a failure of the network or a registry never rejects the candidate, and a missing image always
// does.
func TestPullMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range pullMessages {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(waitsWith(tc.reason, tc.message)))
			c.patience = 50 * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted})
			if ctx.Err() != nil {
				t.Error("the wait ended only at the deadline")
			}
			rejected, isRejected := errors.AsType[*Rejected](err)
			failed, isFailed := errors.AsType[*StartError](err)
			if isFailed != tc.outage || isRejected == tc.outage || IsInfrastructure(err) != tc.outage {
				t.Fatalf("AwaitRunning = %T %v", err, err)
			}
			if isRejected && rejected.Reason != statement.ReasonImagePull {
				t.Errorf("rejected with reason %s", rejected.Reason)
			}
			if isFailed && (failed.Server != "s" || failed.Pod == nil || !strings.Contains(failed.Message, tc.reason)) {
				t.Errorf("error %+v does not quote the kubelet", failed)
			}
		})
	}
}

func TestOutageThatLastsUntilTheDeadline(t *testing.T) {
	t.Parallel()
	c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(waitsWith("ErrImagePull", unknown+head+"EOF")))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted}); !IsInfrastructure(err) {
		t.Errorf("AwaitRunning = %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted}); !errors.Is(err, context.Canceled) || IsInfrastructure(err) {
		t.Errorf("interrupted AwaitRunning = %v", err)
	}
}

// TestPodThatTheClusterLoses: nothing that a node does to a pod counts against the game.
func TestPodThatTheClusterLoses(t *testing.T) {
	t.Parallel()
	killed := func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		pod.Status.Phase, pod.Status.Conditions[0].Status = corev1.PodFailed, corev1.ConditionFalse
		status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error", Message: "bye"}}
	}
	for name, change := range map[string]func(*corev1.Pod, *corev1.ContainerStatus){
		"no room": func(pod *corev1.Pod, _ *corev1.ContainerStatus) {
			pod.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes are available",
			}}}
		},
		"evicted": func(pod *corev1.Pod, status *corev1.ContainerStatus) {
			killed(pod, status)
			pod.Status.Reason, pod.Status.Message = "Evicted", "The node was low on resource: ephemeral-storage"
		},
		"drained": func(pod *corev1.Pod, status *corev1.ContainerStatus) {
			killed(pod, status)
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "evicting",
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(change))
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if _, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted}); !IsInfrastructure(err) || !strings.Contains(err.Error(), "server s: ") {
				t.Errorf("AwaitRunning = %T %v", err, err)
			}
			looked := cluster.looks()
			done := make(chan error, 1)
			go func() {
				_, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted})
				done <- err
			}()
			nextLook(looked, done)
			cluster.setPod(t, readyPod(nil), looked) // the next pod
			if err := <-done; err != nil {
				t.Errorf("AwaitRunning of the next pod = %v", err)
			}
		})
	}
}

// TestOutageThatEnds: a registry that restarts costs one try.
func TestOutageThatEnds(t *testing.T) {
	t.Parallel()
	refused := waitsWith("ErrImagePull", unknown+head+"dial tcp 172.18.0.5:5000: connect: connection refused")
	for name, tc := range map[string]struct {
		then   []func(*corev1.Pod, *corev1.ContainerStatus)
		reason statement.Reason // of the rejection; "" if the pod runs
		outage bool
	}{
		"pod runs":         {then: []func(*corev1.Pod, *corev1.ContainerStatus){waitsWith("ImagePullBackOff", backOff), nil}},
		"image is missing": {then: []func(*corev1.Pod, *corev1.ContainerStatus){waitsWith("ErrImagePull", "not found")}, reason: statement.ReasonImagePull},
		"second failure":   {then: []func(*corev1.Pod, *corev1.ContainerStatus){waitsWith("ImagePullBackOff", backOff), refused}, outage: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(refused))
			c.patience = time.Hour
			looked := cluster.looks()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted})
				done <- err
			}()
			nextLook(looked, done)
			for _, next := range tc.then {
				cluster.setPod(t, readyPod(next), looked)
				nextLook(looked, done)
			}
			err := <-done
			if ctx.Err() != nil {
				t.Error("the wait ended only at the deadline")
			}
			rejected, isRejected := errors.AsType[*Rejected](err)
			if IsInfrastructure(err) != tc.outage || isRejected != (tc.reason != "") || (isRejected && rejected.Reason != tc.reason) {
				t.Errorf("AwaitRunning = %v", err)
			}
			if tc.reason == "" && !tc.outage && err != nil {
				t.Errorf("AwaitRunning = %v", err)
			}
		})
	}
}

// TestContainerThatCannotBeMade: a node that is slow to fetch a Secret tries again, and usually succeeds.
func TestContainerThatCannotBeMade(t *testing.T) {
	t.Parallel()
	const late = "failed to sync secret cache: timed out waiting for the condition"
	for name, tc := range map[string]struct {
		reason, message string
		outage          bool
	}{
		"slow secret":     {"CreateContainerConfigError", late, true},
		"slow config map": {"CreateContainerConfigError", "failed to sync configmap cache: timed out waiting for the condition", true},
		"missing secret":  {"CreateContainerConfigError", `secret "rcon" not found`, false},
		"missing key":     {"CreateContainerConfigError", "couldn't find key password in Secret ns/rcon", false},
		"runtime is slow": {"CreateContainerError", "context deadline exceeded", true},
		"no command":      {"CreateContainerError", "failed to generate container spec: no command specified", false},
		"cannot be run":   {"RunContainerError", "failed to create containerd task: exec: \"game\": not found", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slip := readyPod(waitsWith(tc.reason, tc.message))
			t.Run("passes", func(t *testing.T) {
				t.Parallel()
				c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), slip)
				c.patience = time.Hour
				looked := cluster.looks()
				done := make(chan error, 1)
				go func() {
					_, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted})
					done <- err
				}()
				nextLook(looked, done)
				cluster.setPod(t, readyPod(nil), looked)
				if err := <-done; err != nil {
					t.Errorf("AwaitRunning = %v", err)
				}
			})
			for what, patience := range map[string]time.Duration{"lasts": 50 * time.Millisecond, "lasts until the deadline": time.Hour} {
				t.Run(what, func(t *testing.T) {
					t.Parallel()
					c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), slip)
					c.patience = patience
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted})
					rejected, isRejected := errors.AsType[*Rejected](err)
					if IsInfrastructure(err) != tc.outage || isRejected == tc.outage || !strings.Contains(err.Error(), "server s: ") {
						t.Fatalf("AwaitRunning = %T %v", err, err)
					}
					if isRejected && (rejected.Reason != statement.ReasonCrash || !strings.Contains(rejected.Message, tc.message) || rejected.Pod == nil) {
						t.Errorf("rejected with reason %s: %s", rejected.Reason, rejected.Message)
					}
				})
			}
		})
	}
}

// nextLook waits until the pod was read again, or until the wait is over.
func nextLook(looked <-chan struct{}, done chan error) {
	select {
	case <-looked:
	case err := <-done:
		done <- err
	}
}

// setPod changes the pod. The next signal of looked means that the new state was read.
func (f *fakeCluster) setPod(t *testing.T, pod *corev1.Pod, looked <-chan struct{}) {
	t.Helper()
	if _, err := f.typed.CoreV1().Pods(ns).Update(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-looked:
	default:
	}
	f.wake(t)
}
