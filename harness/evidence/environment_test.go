package evidence_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	node := func(name, architecture string) *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{Architecture: architecture}},
		}
	}
	system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: "uid"}}
	for name, tt := range map[string]struct {
		objects []runtime.Object
		want    statement.Environment
		err     string
	}{
		"one node":    {[]runtime.Object{system, node("a", "arm64")}, statement.Environment{Architecture: "arm64", Kubernetes: "v1.36.3", ClusterUID: "uid"}, ""},
		"two nodes":   {[]runtime.Object{system, node("a", "arm64"), node("b", "arm64")}, statement.Environment{Architecture: "arm64", Kubernetes: "v1.36.3", ClusterUID: "uid"}, ""},
		"mixed nodes": {[]runtime.Object{system, node("a", "arm64"), node("b", "amd64")}, statement.Environment{}, "nodes of arm64 and amd64"},
		"no node":     {[]runtime.Object{system}, statement.Environment{}, "has no node"},
		"no identity": {[]runtime.Object{node("a", "arm64")}, statement.Environment{}, "identity of the cluster"},
	} {
		client := fake.NewClientset(tt.objects...)
		client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.36.3"}
		got, err := evidence.Environment(t.Context(), client)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %v, want %q", name, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
