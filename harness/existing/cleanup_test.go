package existing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// kinds are the kinds of a namespace, with the names that they have in an object.
var kinds = map[string]schema.GroupVersionResource{
	"GameServer": servers, "Backup": backups, "Restore": restores,
	"Pod": removed[3], "Deployment": removed[4], "Service": removed[5], "Secret": removed[6], "NetworkPolicy": removed[7],
	"PersistentVolumeClaim": made[1], "StatefulSet": made[4], "ReplicaSet": made[5], "Job": made[6],
}

func withObjects(t *testing.T, objects ...runtime.Object) (*Site, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{}
	for kind, resource := range kinds {
		lists[resource] = kind + "List"
	}
	cluster := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, objects...)
	site := newSite()
	site.objects, site.settle = cluster, 20*time.Millisecond
	return site, cluster
}

func thing(kind, name string, labels map[string]string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(kinds[kind].GroupVersion().WithKind(kind))
	o.SetName(name)
	o.SetNamespace(ns)
	o.SetUID(types.UID("uid-" + name))
	o.SetLabels(labels)
	return o
}

// left lists what a cluster has.
func left(t *testing.T, cluster *dynamicfake.FakeDynamicClient) []string {
	t.Helper()
	var names []string
	for kind, resource := range kinds {
		list, err := cluster.Resource(resource).Namespace(ns).List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			names = append(names, kind+" "+item.GetName())
		}
	}
	slices.Sort(names)
	return names
}

func TestCleanupRemovesWhatRunsMadeAlone(t *testing.T) {
	t.Parallel()
	other := "20261207-120159-abcd"
	site, cluster := withObjects(t,
		thing("GameServer", "survival", nil), thing("Backup", "nightly", nil), thing("Secret", "restic-repository", nil),
		thing("GameServer", "rh-mine", nil), // the user's own, whatever its name
		thing("Pod", "rh-5yma2-web", map[string]string{LabelOwner: Owner}),
		thing("Service", "labelled", map[string]string{LabelOwner: "helm", "rehearsal.gameplane.local/run": run}),
		thing("GameServer", "rh-5yma-fleet-a", labels(run)), thing("Restore", "rh-5yma-fleet-a-seed", labels(run)),
		thing("NetworkPolicy", "rh-5yma-closed", labels(run)), thing("Backup", "rh-abcd-before-update", labels(other)),
	)
	removed, err := site.Cleanup(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"restores/rh-5yma-fleet-a-seed", "gameservers/rh-5yma-fleet-a", "networkpolicies/rh-5yma-closed"}
	if diff := cmp.Diff(want, removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	foreign := []string{"Backup nightly", "GameServer rh-mine", "GameServer survival", "Pod rh-5yma2-web", "Secret restic-repository", "Service labelled"}
	if diff := cmp.Diff(append([]string{foreign[0], "Backup rh-abcd-before-update"}, foreign[1:]...), left(t, cluster)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if removed, err := site.Cleanup(t.Context(), ""); err != nil || len(removed) != 1 {
		t.Errorf("Cleanup of all runs = %v, %v", removed, err)
	}
	if diff := cmp.Diff(foreign, left(t, cluster)); diff != "" {
		t.Errorf("left of all runs (-want +got):\n%s", diff)
	}
}

// TestCleanupGoesOn: where one kind cannot be removed, the next ones are.
func TestCleanupGoesOn(t *testing.T) {
	t.Parallel()
	site, cluster := withObjects(t,
		thing("Restore", "rh-5yma-fleet-a-seed", labels(run)), thing("Secret", "rh-5yma-restic-repository", labels(run)),
		thing("NetworkPolicy", "rh-5yma-closed", labels(run)),
	)
	cluster.PrependReactor("delete", "restores", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("a webhook does not answer")
	})
	_, err := site.Cleanup(t.Context(), run)
	if err == nil || !strings.Contains(err.Error(), "restores/rh-5yma-fleet-a-seed: a webhook does not answer") {
		t.Errorf("Cleanup = %v", err)
	}
	if diff := cmp.Diff([]string{"Restore rh-5yma-fleet-a-seed"}, left(t, cluster)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestCleanupOfLateObjects: the API server may finish a request whose client is gone already.
func TestCleanupOfLateObjects(t *testing.T) {
	t.Parallel()
	for name, first := range map[string][]runtime.Object{
		"after others": {thing("Secret", "rh-5yma-restic-repository", labels(run))},
		"alone":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, cluster := withObjects(t, first...)
			looks := 0
			cluster.PrependReactor("list", "networkpolicies", func(clienttesting.Action) (bool, runtime.Object, error) {
				if looks++; looks == 1 { // it comes after the kind of the server was looked at
					_ = cluster.Tracker().Add(thing("GameServer", "rh-5yma-fleet-a", labels(run)))
				}
				return false, nil, nil
			})
			removed, err := site.Cleanup(t.Context(), run)
			if err != nil || !slices.Contains(removed, "gameservers/rh-5yma-fleet-a") {
				t.Errorf("Cleanup = %v, %v", removed, err)
			}
			if names := left(t, cluster); len(names) > 0 {
				t.Errorf("left: %v", names)
			}
		})
	}
}

// TestPermissionsAreEnough: what a clean-up asks for, preflight asks for before.
func TestPermissionsAreEnough(t *testing.T) {
	t.Parallel()
	var all []runtime.Object
	for _, resource := range removed {
		for kind, of := range kinds {
			if of == resource {
				all = append(all, thing(kind, "rh-5yma-x", labels(run)))
			}
		}
	}
	site, cluster := withObjects(t, all...)
	if _, err := site.Cleanup(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	for _, action := range cluster.Actions() {
		verb, resource := action.GetVerb(), action.GetResource()
		if verb == "watch" || !slices.Contains(removed, resource) { // a wait without a watch looks every second
			continue
		}
		if !slices.ContainsFunc(permissions, func(p permission) bool {
			return p.group == resource.Group && p.resource == resource.Resource && slices.Contains(p.verbs, verb)
		}) {
			t.Errorf("preflight does not ask for the permission to %s %s", verb, resource.Resource)
		}
	}
}
