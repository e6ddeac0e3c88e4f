package adapter

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestCreateServer(t *testing.T) {
	t.Parallel()
	server := Server{Name: "s", Template: "mc", Revision: "sha256:r", Image: "game@sha256:i", Suspend: true}
	for name, tc := range map[string]struct {
		crds     []runtime.Object
		revision string
		image    string
	}{
		"on request":   {reference(t), "sha256:r", ""},
		"by image pin": {without(t, reference(t), "spec.templateRevision"), "", "game@sha256:i"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newFake(t, Settings{Run: "run-1"}, tc.crds)
			if err := c.CreateServer(t.Context(), server); err != nil {
				t.Fatal(err)
			}
			made, err := c.get(t.Context(), servers, "s")
			if err != nil {
				t.Fatal(err)
			}
			if got := text(made, "spec.templateRevision"); got != tc.revision {
				t.Errorf("templateRevision %q, want %q", got, tc.revision)
			}
			if got := text(made, "spec.image"); got != tc.image {
				t.Errorf("image %q, want %q", got, tc.image)
			}
			if made.GetLabels()[RunLabel] != "run-1" {
				t.Errorf("labels %v", made.GetLabels())
			}
		})
	}
}

func TestAdoptRemovesThePin(t *testing.T) {
	t.Parallel()
	pinned := object("GameServer", "s", map[string]any{"spec": map[string]any{"image": "old", "suspend": true}})
	c, _ := newFake(t, Settings{}, append(reference(t), pinned))
	if err := c.Adopt(t.Context(), "s", Revision{TemplateDigest: "sha256:r", Image: "new"}); err != nil {
		t.Fatal(err)
	}
	adopted, err := c.get(t.Context(), servers, "s")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"suspend": true, "templateRevision": "sha256:r"}
	if diff := cmp.Diff(want, adopted.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestAwaitPending: an operator that does not report offers counts as no offer observed.
func TestAwaitPending(t *testing.T) {
	t.Parallel()
	offered := object("GameServer", "s", map[string]any{"status": map[string]any{
		"pendingRevision": map[string]any{"templateDigest": "sha256:r"},
	}})
	for name, tc := range map[string]struct {
		crds     []runtime.Object
		observed bool
	}{
		"operator reports offers":    {reference(t), true},
		"operator reports no offers": {without(t, reference(t), "status.pendingRevision"), false},
	} {
		c, _ := newFake(t, Settings{}, append(tc.crds, offered.DeepCopy()))
		observed, err := c.AwaitPending(t.Context(), "s", "sha256:r")
		if err != nil || observed != tc.observed {
			t.Errorf("%s: AwaitPending = %t, %v", name, observed, err)
		}
	}
	c, _ := newFake(t, Settings{Timeout: 100 * time.Millisecond}, append(reference(t), offered.DeepCopy()))
	if observed, err := c.AwaitPending(t.Context(), "s", "sha256:another"); err == nil || observed {
		t.Errorf("AwaitPending of a revision that is not offered = %t, %v", observed, err)
	}
}

func TestInstallRevisionWaitsForTheOperator(t *testing.T) {
	t.Parallel()
	status := func(observed int64, images ...string) map[string]any {
		var list []any
		for _, image := range images {
			list = append(list, map[string]any{"digest": "sha256:" + image, "image": image})
		}
		return map[string]any{"observedGeneration": observed, "revisions": list}
	}
	template := object("GameTemplate", "mc", map[string]any{"spec": map[string]any{"image": "a"}, "status": status(1, "a")})
	c, cluster := newFake(t, Settings{}, append(reference(t), template))
	go func() {
		for _, next := range []map[string]any{status(2, "b"), status(1, "a", "b"), status(2, "b", "a"), status(2, "a", "b")} {
			object, err := c.get(t.Context(), templates, "mc")
			if err != nil {
				return
			}
			object.Object["status"] = next
			if next["observedGeneration"] == int64(2) && len(next["revisions"].([]any)) == 1 {
				object.SetGeneration(3) // the status describes an older spec
			} else {
				object.SetGeneration(2)
			}
			_ = cluster.objects.Tracker().Update(templates, object, "")
		}
	}()
	revision, err := c.InstallRevision(t.Context(), "mc", "b")
	if diff := cmp.Diff(Revision{TemplateDigest: "sha256:b", Image: "b"}, revision); err != nil || diff != "" {
		t.Errorf("revision (-want +got), error %v:\n%s", err, diff)
	}
}

func TestInstallRevisionWithoutRequestsLeavesTheTemplate(t *testing.T) {
	t.Parallel()
	template := object("GameTemplate", "mc", map[string]any{"spec": map[string]any{"image": "a"}})
	c, cluster := newFake(t, Settings{}, append(without(t, reference(t), "spec.templateRevision"), template))
	revision, err := c.InstallRevision(t.Context(), "mc", "b")
	if err != nil || revision.Image != "b" || !strings.HasPrefix(revision.TemplateDigest, "sha256:") {
		t.Errorf("InstallRevision = %+v, %v", revision, err)
	}
	for _, action := range cluster.objects.Actions() {
		if verb := action.GetVerb(); verb == "patch" || verb == "update" {
			t.Errorf("the template was changed, which would roll every server: %v", action)
		}
	}
}

// once runs act on the first object of a kind that satisfies so after a change.
func (f *fakeCluster) once(t *testing.T, resource schema.GroupVersionResource, so func(*unstructured.Unstructured) bool, act func(*unstructured.Unstructured)) {
	t.Helper()
	watcher, err := f.objects.Resource(resource).Namespace(ns).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watcher.Stop)
	go func() {
		for event := range watcher.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && so(object) {
				act(object.DeepCopy())
				return
			}
		}
	}()
}

// play sets the status of a backup as soon as the backup exists.
func play(t *testing.T, cluster *fakeCluster, name string, status map[string]any) {
	t.Helper()
	named := func(object *unstructured.Unstructured) bool { return object.GetName() == name }
	cluster.once(t, backups, named, func(object *unstructured.Unstructured) {
		object.Object["status"] = status
		_ = cluster.objects.Tracker().Update(backups, object, ns)
	})
}

func TestBackup(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status map[string]any
		want   Backup
		failed string
	}{
		"succeeds": {
			map[string]any{"phase": "Succeeded", "snapshotID": "b631", "revision": map[string]any{"image": "game@sha256:a"}},
			Backup{Snapshot: "b631", Revision: "sha256:a"}, "",
		},
		"records no revision":         {map[string]any{"phase": "Succeeded", "snapshotID": "b631"}, Backup{Snapshot: "b631"}, ""},
		"fails":                       {map[string]any{"phase": "Failed", "message": "quiesce: no answer"}, Backup{}, "quiesce: no answer"},
		"succeeds without a snapshot": {map[string]any{"phase": "Succeeded"}, Backup{}, "without a snapshot ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, cluster := newFake(t, Settings{}, nil)
			play(t, cluster, "b", tc.status)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got, err := c.Backup(ctx, "b", "s")
			failed, ok := errors.AsType[*FailedError](err)
			if ok != (tc.failed != "") || (ok && !strings.Contains(failed.Message, tc.failed)) || (!ok && err != nil) {
				t.Fatalf("Backup = %v, want failure %q", err, tc.failed)
			}
			if diff := cmp.Diff(tc.want, got); !ok && diff != "" {
				t.Errorf("backup (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimeoutNamesTheLastState(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{Timeout: 300 * time.Millisecond}, nil)
	play(t, cluster, "b", map[string]any{"phase": "Pending", "message": "server s is owned by a restore"})
	_, err := c.Backup(t.Context(), "b", "s")
	late, ok := errors.AsType[*await.TimeoutError](err)
	if !ok || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(late.Error(), "owned by a restore") {
		t.Errorf("Backup = %v", err)
	}
	if IsInfrastructure(err) {
		t.Error("an operator that does not finish counts as an infrastructure error")
	}
}

// TestInterruptedBackup: an interruption may come before the Backup was seen once.
func TestInterruptedBackup(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cluster.objects.PrependReactor("get", "backups", func(clienttesting.Action) (bool, runtime.Object, error) {
		cancel()
		return true, nil, context.Canceled
	})
	if _, err := c.Backup(ctx, "b", "s"); !errors.Is(err, context.Canceled) {
		t.Errorf("Backup = %v", err)
	}
}

func TestClaimsOf(t *testing.T) {
	t.Parallel()
	claim := func(name string, owner types.UID) corev1.PersistentVolumeClaim {
		return corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: "uid-" + types.UID(name), OwnerReferences: []metav1.OwnerReference{{UID: owner}},
		}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv-" + name}}
	}
	list := []corev1.PersistentVolumeClaim{
		claim("s-mods-default", "me"), claim("s-extra-world", "me"), claim("s-data", "me"), claim("s-extra-a", "me"),
		claim("s-extra-data", "other"), // the primary claim of a server "s-extra"
		claim("t-data", "me"),
	}
	ref := func(role, name string) ClaimRef {
		return ClaimRef{Role: role, Name: name, UID: "uid-" + name, Volume: "pv-" + name}
	}
	want := []ClaimRef{
		ref(statement.Primary, "s-data"), ref(statement.Extra, "s-extra-a"), ref(statement.Extra, "s-extra-world"), ref(statement.Mods, "s-mods-default"),
	}
	if diff := cmp.Diff(want, claimsOf("s", "me", list)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

func TestSuspendWaitsForThePod(t *testing.T) {
	t.Parallel()
	c, cluster := newFake(t, Settings{Timeout: 5 * time.Second}, []runtime.Object{gameServer(2)}, statefulSet(nil), readyPod(nil))
	suspended := func(server *unstructured.Unstructured) bool {
		suspend, _, _ := unstructured.NestedBool(server.Object, "spec", "suspend")
		return suspend
	}
	cluster.once(t, servers, suspended, func(*unstructured.Unstructured) {
		zero := int32(0)
		set := statefulSet(nil)
		set.Spec.Replicas = &zero
		_, _ = cluster.typed.AppsV1().StatefulSets(ns).Update(t.Context(), set, metav1.UpdateOptions{})
		_ = cluster.typed.CoreV1().Pods(ns).Delete(t.Context(), "s-0", metav1.DeleteOptions{})
		_ = cluster.objects.Tracker().Add(object("Pod", "s-0", nil)) // an event
	})
	if err := c.Suspend(t.Context(), "s"); err != nil {
		t.Error(err)
	}
}
