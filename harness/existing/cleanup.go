package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/await"
)

var (
	servers  = schema.GroupVersionResource{Group: "gameplane.local", Version: "v1alpha1", Resource: "gameservers"}
	backups  = schema.GroupVersionResource{Group: "gameplane.local", Version: "v1alpha1", Resource: "backups"}
	restores = schema.GroupVersionResource{Group: "gameplane.local", Version: "v1alpha1", Resource: "restores"}
)

// removed are the kinds that a run makes, in the order in which they go. Restores end before their servers; backups before
// the repository, since an operator may delete the snapshot with them.
var removed = []schema.GroupVersionResource{
	restores, servers, backups,
	{Version: "v1", Resource: "pods"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "secrets"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
}

// made are the kinds that the operator and Kubernetes make for a run's objects. They go with their owners.
var made = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "secrets"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
}

// object is something in the cluster.
type object struct {
	resource schema.GroupVersionResource
	name     string
	run      string
	uid      types.UID
}

func (o object) String() string { return o.resource.Resource + "/" + o.name }

// ours lists what runs have made and what is left of it: all runs where run is "".
func (s *Site) ours(ctx context.Context, run string) ([]object, error) {
	selector := LabelOwner + "=" + Owner + "," + adapter.RunLabel
	if run != "" {
		selector += "=" + run
	}
	var found []object
	for _, resource := range removed {
		list, err := s.objects.Resource(resource).Namespace(s.namespace()).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if apierrors.IsNotFound(err) { // the operator is not installed
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for _, item := range list.Items {
			found = append(found, object{resource, item.GetName(), item.GetLabels()[adapter.RunLabel], item.GetUID()})
		}
	}
	return found, nil
}

// settle is how long the API server may take to finish a request whose client was killed or interrupted.
const settle = 2 * time.Second

// Cleanup removes what a run made, of every run where run is "", and returns the names of what was there. It waits until
// the objects, and those that the operator made for them, are gone. Then it looks again: an object may appear after the
// end of the run that asked for it.
func (s *Site) Cleanup(ctx context.Context, run string) ([]string, error) {
	var names []string
	for {
		found, err := s.ours(ctx, run)
		if err != nil {
			return names, err
		}
		for _, o := range found {
			names = append(names, o.String())
		}
		if err := s.removeAll(ctx, run, found); err != nil {
			return names, err
		}
		select {
		case <-time.After(s.settle):
		case <-ctx.Done():
			return names, context.Cause(ctx)
		}
		late, err := s.ours(ctx, run)
		if err != nil || len(late) == 0 {
			return names, err
		}
	}
}

// removeAll deletes objects, kind by kind. A kind that cannot be removed does not save the next one.
func (s *Site) removeAll(ctx context.Context, run string, found []object) error {
	var prefixes []string
	if run != "" {
		prefixes = append(prefixes, prefixOf(run))
	}
	for _, o := range found {
		if prefix := prefixOf(o.run); !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	var failures []error
	for _, resource := range removed {
		failures = append(failures, s.remove(ctx, resource, found))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	return s.awaitNone(ctx, prefixes)
}

// kindTime bounds the wait for the objects of one kind: a finalizer that nobody removes leaves time for the other kinds.
const kindTime = time.Minute

// remove deletes the objects of one kind, by UID, and waits until they are gone.
func (s *Site) remove(ctx context.Context, resource schema.GroupVersionResource, found []object) error {
	api := s.objects.Resource(resource).Namespace(s.namespace())
	background := metav1.DeletePropagationBackground
	var failures []error
	var waiting []object
	for _, o := range found {
		if o.resource != resource {
			continue
		}
		err := api.Delete(ctx, o.name, metav1.DeleteOptions{
			Preconditions: metav1.NewUIDPreconditions(string(o.uid)), PropagationPolicy: &background,
		})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			failures = append(failures, fmt.Errorf("delete %s: %w", o, err))
			continue
		}
		waiting = append(waiting, o)
	}
	patience, cancel := context.WithTimeout(ctx, kindTime)
	defer cancel()
	for _, o := range waiting {
		if err := s.awaitGone(patience, o); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// awaitGone waits until an object is not there any more.
func (s *Site) awaitGone(ctx context.Context, o object) error {
	api := s.objects.Resource(o.resource).Namespace(s.namespace())
	look := func(ctx context.Context) (bool, string, error) {
		left, err := api.Get(ctx, o.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, "", nil
		}
		if err != nil {
			return false, "", err
		}
		return left.GetUID() != o.uid, fmt.Sprintf("finalizers %v", left.GetFinalizers()), nil
	}
	return await.Until(ctx, o.String()+" to go", look, await.Subject{Resource: api, Name: o.name})
}

// awaitNone waits until nothing whose name begins with a prefix is left.
func (s *Site) awaitNone(ctx context.Context, prefixes []string) error {
	for {
		left, err := s.begunBy(ctx, prefixes)
		if err != nil || len(left) == 0 {
			return err
		}
		for _, o := range left {
			if err := s.awaitGone(ctx, o); err != nil {
				return err
			}
		}
	}
}

// begunBy lists what the operator and Kubernetes made for servers whose names begin with a prefix.
func (s *Site) begunBy(ctx context.Context, prefixes []string) ([]object, error) {
	var found []object
	for _, resource := range made {
		list, err := s.objects.Resource(resource).Namespace(s.namespace()).List(ctx, metav1.ListOptions{})
		if apierrors.IsForbidden(err) { // what cannot be looked at is left to Kubernetes
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for _, item := range list.Items {
			name := strings.TrimPrefix(item.GetName(), "restore-") // Gameplane's Jobs
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
				found = append(found, object{resource, item.GetName(), "", item.GetUID()})
			}
		}
	}
	return found, nil
}
