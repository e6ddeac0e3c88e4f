package adapter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func waits(reason string) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		pod.Status.Conditions[0].Status = corev1.ConditionFalse
		status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "from the kubelet"}}
	}
}

func exits(code int32) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		// By now the kubelet has started the container again.
		pod.Status.Conditions[0].Status = corev1.ConditionFalse
		status.RestartCount = 1
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: code, Message: "world 3955 is newer than 3578"}
	}
}

func TestAwaitRunningRejects(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*corev1.Pod, *corev1.ContainerStatus)
		reason statement.Reason
		says   string
	}{
		"first failed pull":  {waits("ErrImagePull"), statement.ReasonImagePull, "from the kubelet"},
		"pull back-off":      {waits("ImagePullBackOff"), statement.ReasonImagePull, "from the kubelet"},
		"image never pulled": {waits("ErrImageNeverPull"), statement.ReasonImagePull, "from the kubelet"},
		"invalid image name": {waits("InvalidImageName"), statement.ReasonImagePull, "from the kubelet"},
		"crash loop":         {waits("CrashLoopBackOff"), statement.ReasonCrash, "from the kubelet"},
		"first crash":        {exits(1), statement.ReasonCrash, "exit code 1"},
		"killed":             {exits(137), statement.ReasonCrash, "exit code 137"},
		"exits":              {exits(0), statement.ReasonCrash, "exit code 0"},
		"newer world":        {exits(3), statement.ReasonNewerWorld, "3955 is newer than 3578"},
		"other image": {func(_ *corev1.Pod, status *corev1.ContainerStatus) {
			status.ImageID = "registry:5000/game@sha256:bbbb"
		}, statement.ReasonWrongImage, "sha256:bbbb"},
		"image without a digest": {func(_ *corev1.Pod, status *corev1.ContainerStatus) {
			status.ImageID = "game:latest"
		}, statement.ReasonWrongImage, "game:latest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(tc.change))
			_, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted, NotPod: "old"})
			rejected, ok := errors.AsType[*Rejected](err)
			if !ok || rejected.Reason != tc.reason || !strings.Contains(rejected.Message, tc.says) || rejected.Pod == nil {
				t.Errorf("AwaitRunning = %v, want %s with %q", err, tc.reason, tc.says)
			}
		})
	}
}

// TestAwaitRunningWaits: none of these states is the expected one, and none rules it out.
func TestAwaitRunningWaits(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		observed int64
		set      func(*appsv1.StatefulSet)
		pod      func(*corev1.Pod, *corev1.ContainerStatus)
	}{
		"operator is behind":      {observed: 1},
		"controller is behind":    {observed: 2, set: func(set *appsv1.StatefulSet) { set.Generation = 4 }},
		"old pod":                 {observed: 2, pod: func(pod *corev1.Pod, _ *corev1.ContainerStatus) { pod.UID = "old" }},
		"old pod crashes":         {observed: 2, pod: func(pod *corev1.Pod, status *corev1.ContainerStatus) { exits(3)(pod, status); pod.UID = "old" }},
		"pod of the old revision": {observed: 2, pod: func(pod *corev1.Pod, _ *corev1.ContainerStatus) { pod.Labels[appsv1.StatefulSetRevisionLabel] = "r1" }},
		"pod being deleted": {observed: 2, pod: func(pod *corev1.Pod, _ *corev1.ContainerStatus) {
			pod.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		}},
		"not ready": {observed: 2, pod: func(pod *corev1.Pod, _ *corev1.ContainerStatus) {
			pod.Status.Conditions[0].Status = corev1.ConditionFalse
		}},
		"container being created": {observed: 2, pod: waits("ContainerCreating")},
		"no game status":          {observed: 2, pod: func(pod *corev1.Pod, _ *corev1.ContainerStatus) { pod.Status.ContainerStatuses = nil }},
		"unfinished rollout":      {observed: 2, set: func(set *appsv1.StatefulSet) { set.Status.CurrentRevision = "r1" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(tc.observed)}, statefulSet(tc.set), readyPod(tc.pod))
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted, NotPod: "old"})
			rejected, ok := errors.AsType[*Rejected](err)
			if !ok || rejected.Reason != statement.ReasonNotReady || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("AwaitRunning = %v, want %s", err, statement.ReasonNotReady)
			}
			if ok && !strings.Contains(rejected.Message, "pod new") && !strings.Contains(rejected.Message, "pod old") {
				t.Errorf("message %q does not name the last observed state", rejected.Message)
			}
		})
	}
}

func TestAwaitRunning(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil))
	go func() {
		_ = cluster.typed.Tracker().Add(readyPod(nil))
		// Only the dynamic watch reports this change.
		_ = cluster.objects.Tracker().Add(object("Pod", "s-0", nil))
	}()
	pod, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted, NotPod: "old"})
	if err != nil || pod.UID != "new" {
		t.Errorf("AwaitRunning = %v, %v", pod, err)
	}
}

func TestAwaitRunningIsCancelled(t *testing.T) {
	t.Parallel()
	c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(1)}, statefulSet(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.AwaitRunning(ctx, "s", Expect{Digest: wanted})
	if _, ok := errors.AsType[*Rejected](err); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted AwaitRunning = %v", err)
	}
}

func TestMissingServerIsNoRejection(t *testing.T) {
	t.Parallel()
	c, _ := newFake(t, Settings{}, nil)
	_, err := c.AwaitRunning(t.Context(), "s", Expect{Digest: wanted})
	if _, ok := errors.AsType[*Rejected](err); ok || err == nil {
		t.Errorf("AwaitRunning = %v", err)
	}
}
