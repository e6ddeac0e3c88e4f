package cluster

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func pod(name, image string, args ...string) *corev1.Pod {
	grace := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: &grace,
			Containers:                    []corev1.Container{{Name: "main", Image: image, Args: args}},
		},
	}
}

// run creates the pod, waits until done, and returns the pod.
func (u clusterUser) run(t *testing.T, p *corev1.Pod, done func(*corev1.Pod) bool) *corev1.Pod {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := u.client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var found *corev1.Pod
	err := awaitObject(ctx, "pod", p.Name, u.client.CoreV1().Pods("default"), func(pod *corev1.Pod) (bool, string) {
		found = pod
		return done(found), string(found.Status.Phase) + " " + waiting(found)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func running(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning }

func waiting(p *corev1.Pod) string {
	for _, status := range p.Status.ContainerStatuses {
		if status.State.Waiting != nil {
			return status.State.Waiting.Reason
		}
	}
	return ""
}
