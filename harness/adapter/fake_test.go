package adapter

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
)

const (
	ns     = "games"
	wanted = "sha256:aaaa"
)

// fakeCluster is an API server without controllers.
type fakeCluster struct {
	objects *dynamicfake.FakeDynamicClient
	typed   *fake.Clientset
}

func newFake(t *testing.T, settings Settings, objects []runtime.Object, typed ...runtime.Object) (*Client, *fakeCluster) {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{
		templates: "GameTemplateList", servers: "GameServerList", backups: "BackupList", restores: "RestoreList",
		definitions: "CustomResourceDefinitionList", statefulSets: "StatefulSetList", pods: "PodList", claims: "PersistentVolumeClaimList",
	}
	cluster := &fakeCluster{
		objects: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...),
		typed:   fake.NewClientset(typed...),
	}
	if settings.Timeout == 0 {
		settings.Timeout = 10 * time.Second
	}
	return newClient(cluster.objects, cluster.typed, ns, settings), cluster
}

func object(kind, name string, fields map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	for key, value := range fields {
		o.Object[key] = value
	}
	o.SetAPIVersion("gameplane.local/v1alpha1")
	o.SetKind(kind)
	o.SetName(name)
	o.SetUID("uid-server")
	if kind != "GameTemplate" {
		o.SetNamespace(ns)
	}
	o.SetLabels(map[string]string{RunLabel: ns})
	o.SetGeneration(2)
	return o
}

func gameServer(observed int64) *unstructured.Unstructured {
	return object("GameServer", "s", map[string]any{"status": map[string]any{"observedGeneration": observed, "phase": "Running"}})
}

func statefulSet(change func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	one := int32(1)
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: ns, Generation: 3},
		Spec:       appsv1.StatefulSetSpec{Replicas: &one},
		Status: appsv1.StatefulSetStatus{
			ObservedGeneration: 3, CurrentRevision: "r2", UpdateRevision: "r2", Replicas: 1, ReadyReplicas: 1,
		},
	}
	if change != nil {
		change(set)
	}
	return set
}

// readyPod returns a healthy pod with the test's changes.
func readyPod(change func(*corev1.Pod, *corev1.ContainerStatus)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "s-0", Namespace: ns, UID: "new", Labels: map[string]string{appsv1.StatefulSetRevisionLabel: "r2"},
		},
		Status: corev1.PodStatus{
			Phase:             corev1.PodRunning,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: GameContainer, Ready: true, ImageID: "registry:5000/game@" + wanted}},
		},
	}
	status := &pod.Status.ContainerStatuses[0]
	status.State.Running = &corev1.ContainerStateRunning{}
	if change != nil {
		change(pod, status)
	}
	return pod
}
