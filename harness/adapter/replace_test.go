package adapter

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// looks returns a channel that receives when a server's pod was read; several reads may count as one.
func (f *fakeCluster) looks() chan struct{} {
	looked := make(chan struct{}, 1)
	f.typed.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		select {
		case looked <- struct{}{}:
		default:
		}
		return false, nil, nil
	})
	return looked
}

// wake triggers the dynamic watches, which do not see the typed client's changes.
func (f *fakeCluster) wake(t *testing.T) {
	t.Helper()
	event := object("Pod", "s-0", nil)
	if f.objects.Tracker().Update(pods, event, ns) == nil {
		return
	}
	if err := f.objects.Tracker().Create(pods, event, ns); err != nil {
		t.Fatal(err)
	}
}

// TestReplacePodWaitsForTheWorkload: a pod that is deleted too early comes back with the old revision.
func TestReplacePodWaitsForTheWorkload(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]struct {
		observed int64
		set      func(*appsv1.StatefulSet)
	}{
		"operator is behind":   {observed: 1},
		"controller is behind": {observed: 2, set: func(set *appsv1.StatefulSet) { set.Generation = 4 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(behind.observed)}, statefulSet(behind.set), readyPod(nil))
			looked := cluster.looks()
			done := make(chan error, 1)
			go func() { done <- c.ReplacePod(t.Context(), "s") }()
			<-looked // while the server is behind
			cluster.wake(t)
			select {
			case <-looked: // it looked again, so it deleted nothing
			case err := <-done:
				t.Fatalf("ReplacePod did not wait: %v", err)
			}
			if _, err := cluster.typed.AppsV1().StatefulSets(ns).Update(t.Context(), statefulSet(nil), metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := cluster.objects.Tracker().Update(servers, gameServer(2), ns); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if !cluster.deleted("pods") {
				t.Error("the pod was not deleted")
			}
		})
	}
}

func (f *fakeCluster) deleted(resource string) bool {
	for _, action := range f.typed.Actions() {
		if action.Matches("delete", resource) {
			return true
		}
	}
	return false
}

func TestReplacePodThatIsGone(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, statefulSet(nil))
	if err := c.ReplacePod(t.Context(), "s"); err != nil || cluster.deleted("pods") {
		t.Errorf("ReplacePod = %v", err)
	}
}
