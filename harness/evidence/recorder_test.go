package evidence

import (
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
)

func gamePod(uid, version string, restarts int32) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "fleet-b-0", UID: types.UID(uid), ResourceVersion: version},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
			{Name: "sidecar", RestartCount: 9},
			{Name: gameContainer, ImageID: "registry:5000/game@sha256:aa", RestartCount: restarts},
		}},
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []watch.Event
		want   History
	}{
		{
			name: "untouched",
			want: History{UIDs: []string{"one"}, ImageID: "registry:5000/game@sha256:aa", Gapless: true},
		},
		{
			name: "restarted in place",
			events: []watch.Event{
				{Type: watch.Modified, Object: gamePod("one", "2", 1)},
				{Type: watch.Modified, Object: gamePod("one", "3", 0)},
			},
			want: History{UIDs: []string{"one"}, ImageID: "registry:5000/game@sha256:aa", Restarts: 1, Gapless: true},
		},
		{
			name: "replaced",
			events: []watch.Event{
				{Type: watch.Deleted, Object: gamePod("one", "2", 0)},
				{Type: watch.Added, Object: gamePod("two", "3", 0)},
			},
			want: History{UIDs: []string{"one", "two"}, ImageID: "registry:5000/game@sha256:aa", Gapless: true},
		},
		{
			name: "history expired at the API server",
			events: []watch.Event{{Type: watch.Error, Object: &metav1.Status{
				Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old resource version",
			}}},
			want: History{UIDs: []string{"one"}, ImageID: "registry:5000/game@sha256:aa"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset()
				client.PrependReactor("list", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
					return true, &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*gamePod("one", "1", 0)}}, nil
				})
				source := watch.NewFakeWithChanSize(len(test.events), false)
				client.PrependWatchReactor("pods", kubetesting.DefaultWatchReactor(source, nil))
				for _, event := range test.events {
					source.Action(event.Type, event.Object)
				}
				var timeline bytes.Buffer
				recorder, err := Record(t.Context(), client, "rehearsal", &timeline)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if diff := cmp.Diff(test.want, recorder.Pod("fleet-b-0")); diff != "" {
					t.Errorf("history (-want +got):\n%s", diff)
				}
				recorder.Stop()
				if got := bytes.Count(timeline.Bytes(), []byte("\n")); got == 0 {
					t.Error("the timeline is empty")
				}
			})
		})
	}
}

func TestRecorderHasNoHistoryOfAnUnknownPod(t *testing.T) {
	t.Parallel()
	recorder := &Recorder{pods: map[string]*History{}}
	if got := recorder.Pod("nobody-0"); len(got.UIDs) != 0 {
		t.Errorf("got %v", got.UIDs)
	}
}
