package adapter

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// observation is a server, its workload and its pod, read in this order. So the workload holds all that the operator
// wrote before it reported a generation, and the pod all that Kubernetes made of the workload. The last two may be nil.
type observation struct {
	server *unstructured.Unstructured
	set    *appsv1.StatefulSet
	pod    *corev1.Pod
}

func subjectsOf(server string) []subject {
	return []subject{{servers, server}, {statefulSets, server}, {pods, podName(server)}}
}

func (c *Client) see(ctx context.Context, server string) (observation, error) {
	var seen observation
	var err error
	if seen.server, err = c.get(ctx, servers, server); err != nil {
		return seen, err
	}
	seen.set, err = c.typed.AppsV1().StatefulSets(c.namespace).Get(ctx, server, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		seen.set = nil
		return seen, nil
	}
	if err != nil {
		return seen, fmt.Errorf("get workload of server %s: %w", server, err)
	}
	seen.pod, err = c.Pod(ctx, server)
	return seen, err
}

// current reports whether the operator and the StatefulSet controller have observed the newest specs.
func (s observation) current() bool {
	observed, _, err := unstructured.NestedInt64(s.server.Object, "status", "observedGeneration")
	return err == nil && observed >= s.server.GetGeneration() &&
		s.set != nil && s.set.Status.ObservedGeneration >= s.set.Generation
}

// newest reports whether the pod is of the workload's newest revision and is not being deleted.
func (s observation) newest() bool {
	return s.pod != nil && s.pod.DeletionTimestamp == nil &&
		s.pod.Labels[appsv1.StatefulSetRevisionLabel] == s.set.Status.UpdateRevision
}

// ready reports whether the kubelet says that the pod is ready.
func (s observation) ready() bool {
	for _, condition := range s.pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func gameStatus(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == GameContainer {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// String describes the observation in one line for people.
func (s observation) String() string {
	var parts []string
	phase, _, _ := unstructured.NestedString(s.server.Object, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(s.server.Object, "status", "observedGeneration")
	parts = append(parts, fmt.Sprintf("server %q generation %d of %d", phase, observed, s.server.GetGeneration()))
	if s.set == nil {
		return parts[0] + ", no workload"
	}
	parts = append(parts, fmt.Sprintf("workload revision %s of %s, %d ready",
		s.set.Status.CurrentRevision, s.set.Status.UpdateRevision, s.set.Status.ReadyReplicas))
	if s.pod == nil {
		return strings.Join(append(parts, "no pod"), ", ")
	}
	parts = append(parts, fmt.Sprintf("pod %s %s", s.pod.UID, s.pod.Status.Phase))
	if s.pod.DeletionTimestamp != nil {
		parts = append(parts, "being deleted")
	}
	for _, condition := range s.pod.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && condition.Message != "" {
			parts = append(parts, fmt.Sprintf("%s: %s", condition.Type, condition.Message))
		}
	}
	if status := gameStatus(s.pod); status != nil {
		parts = append(parts, containerState(status))
	}
	return strings.Join(parts, ", ")
}

func containerState(status *corev1.ContainerStatus) string {
	switch {
	case status.State.Waiting != nil:
		return strings.TrimSpace(fmt.Sprintf("game waits: %s %s", status.State.Waiting.Reason, status.State.Waiting.Message))
	case status.State.Terminated != nil:
		return fmt.Sprintf("game exited with code %d", status.State.Terminated.ExitCode)
	}
	return fmt.Sprintf("game runs %s, ready %t", status.ImageID, status.Ready)
}

// Pod returns the current pod of a server, or nil if it has none. Secret values in its status are redacted.
func (c *Client) Pod(ctx context.Context, server string) (*corev1.Pod, error) {
	pod, err := c.typed.CoreV1().Pods(c.namespace).Get(ctx, podName(server), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get pod of server %s: %w", server, err)
	}
	if err := c.fillMessage(ctx, pod); err != nil {
		return nil, err
	}
	if err := c.redactPod(ctx, server, pod); err != nil {
		return nil, err
	}
	return pod, nil
}
