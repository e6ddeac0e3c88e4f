package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// gameContainer is the operator's name for the container that runs the game.
const gameContainer = "game"

// History is what the recorder saw under a pod's name from its start until now.
type History struct {
	UIDs     []string // in the order of their first appearance
	ImageID  string   // of the game container, as last reported
	Restarts int      // highest restart count of the pods' game containers
	Gapless  bool     // the watch never broke, so the history missed no UID
}

// Recorder follows every pod of a namespace through one unbroken watch.
type Recorder struct {
	mu      sync.Mutex
	pods    map[string]*History
	gap     error
	out     *json.Encoder
	stop    context.CancelFunc
	stopped chan struct{}
}

// Record starts to follow the pods of a namespace and writes each change to timeline as a line of JSON.
// Stop or the end of ctx ends the recorder.
func Record(ctx context.Context, client kubernetes.Interface, namespace string, timeline io.Writer) (*Recorder, error) {
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods of %s: %w", namespace, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods(namespace).Watch(ctx, options)
		},
	})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watch pods of %s: %w", namespace, err)
	}
	r := &Recorder{
		pods:    map[string]*History{},
		out:     json.NewEncoder(timeline),
		stop:    cancel,
		stopped: make(chan struct{}),
	}
	for i := range list.Items {
		r.see("LISTED", &list.Items[i])
	}
	go r.follow(ctx, watcher)
	return r, nil
}

// Pod returns the history of the pod with this name. An unknown name has no UIDs.
func (r *Recorder) Pod(name string) History {
	r.mu.Lock()
	defer r.mu.Unlock()
	history := History{Gapless: r.gap == nil}
	if seen, ok := r.pods[name]; ok {
		history.UIDs = slices.Clone(seen.UIDs)
		history.ImageID = seen.ImageID
		history.Restarts = seen.Restarts
	}
	return history
}

// Gap returns why the watch was broken, or nil.
func (r *Recorder) Gap() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gap
}

// Stop ends the watch and waits until the last change is written.
func (r *Recorder) Stop() {
	r.stop()
	<-r.stopped
}

// follow reads until the context ends. A retry watcher resumes after the last version it saw. Its channel ends early
// only if the API server has dropped that version: then the recorder may have missed something.
func (r *Recorder) follow(ctx context.Context, watcher *watchtools.RetryWatcher) {
	defer close(r.stopped)
	for event := range watcher.ResultChan() {
		if pod, ok := event.Object.(*corev1.Pod); ok {
			r.see(string(event.Type), pod)
			continue
		}
		r.broken(event.Object)
	}
	if ctx.Err() == nil {
		r.broken(nil)
	}
}

func (r *Recorder) broken(object runtime.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gap != nil {
		return
	}
	r.gap = fmt.Errorf("watch of pods ended early")
	if status, ok := object.(*metav1.Status); ok {
		r.gap = fmt.Errorf("watch of pods ended early: %s", status.Message)
	}
}

// change is a line of the timeline.
type change struct {
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	Pod      string    `json:"pod"`
	UID      string    `json:"uid"`
	Phase    string    `json:"phase"`
	Ready    bool      `json:"ready"`
	Image    string    `json:"image,omitempty"`
	Waiting  string    `json:"waiting,omitempty"`
	ExitCode *int32    `json:"exitCode,omitempty"`
}

func (r *Recorder) see(event string, pod *corev1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	history, ok := r.pods[pod.Name]
	if !ok {
		history = &History{}
		r.pods[pod.Name] = history
	}
	if uid := string(pod.UID); !slices.Contains(history.UIDs, uid) {
		history.UIDs = append(history.UIDs, uid)
	}
	line := change{At: time.Now().UTC(), Event: event, Pod: pod.Name, UID: string(pod.UID), Phase: string(pod.Status.Phase)}
	if status := gameStatus(pod); status != nil {
		if status.ImageID != "" {
			history.ImageID = status.ImageID
		}
		history.Restarts = max(history.Restarts, int(status.RestartCount))
		line.Ready, line.Image = status.Ready, status.ImageID
		if status.State.Waiting != nil {
			line.Waiting = status.State.Waiting.Reason
		}
		if status.State.Terminated != nil {
			line.ExitCode = &status.State.Terminated.ExitCode
		}
	}
	// The timeline only helps people; a full disk must not end the watch, which is evidence.
	_ = r.out.Encode(line)
}

func gameStatus(pod *corev1.Pod) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == gameContainer {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}
