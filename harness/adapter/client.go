// Package adapter drives a Gameplane operator through its custom resources: it installs revisions, makes servers adopt
// them, takes backups, restores them, and waits for the result.
//
// It imports no package of the operator. It reads the operator's features from the schemas that the cluster serves;
// fields whose names are not public are settings.
//
// It does not trust a phase. A server runs a revision when a new pod of the StatefulSet's newest revision is ready and
// its image has the requested digest. Every wait is driven by watches and has a deadline. Its error names the last
// observed state, and it ends at once if the state cannot improve.
package adapter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// Client drives the operator in one namespace: a Restore can only name a Backup in the same namespace. It is safe for
// concurrent use.
type Client struct {
	dynamic   dynamic.Interface
	typed     kubernetes.Interface
	namespace string
	settings  Settings
	patience  time.Duration // how long a failed start may still be retried

	installing sync.Mutex // one template change at a time: the operator may miss a revision that is overwritten
}

// New returns a client of the operator that serves the cluster. It makes no request yet.
func New(config *rest.Config, namespace string, settings Settings) (*Client, error) {
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return newClient(objects, typed, namespace, settings), nil
}

func newClient(objects dynamic.Interface, typed kubernetes.Interface, namespace string, settings Settings) *Client {
	return &Client{dynamic: objects, typed: typed, namespace: namespace, settings: settings.withDefaults(namespace), patience: retryTime}
}

// of returns the interface for a resource: templates and definitions are cluster-scoped, all others are namespaced.
func (c *Client) of(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	if resource == templates || resource == definitions {
		return c.dynamic.Resource(resource)
	}
	return c.dynamic.Resource(resource).Namespace(c.namespace)
}

func (c *Client) get(ctx context.Context, resource schema.GroupVersionResource, name string) (*unstructured.Unstructured, error) {
	object, err := c.of(resource).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get %s %s: %w", resource.Resource, name, err)
	}
	return object, nil
}

// create makes an object in the operator's API group and labels it with the run.
func (c *Client) create(ctx context.Context, resource schema.GroupVersionResource, kind, name string, spec map[string]any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(resource.GroupVersion().WithKind(kind))
	object.SetName(name)
	labels := map[string]string{RunLabel: c.settings.Run}
	maps.Copy(labels, c.settings.Labels)
	object.SetLabels(labels)
	created, err := c.of(resource).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create %s %s: %w", kind, name, err)
	}
	return created, nil
}

// patch merges fields into an object. A nil value removes the field.
func (c *Client) patch(ctx context.Context, resource schema.GroupVersionResource, name string, fields map[string]any) error {
	merge := map[string]any{}
	for field, value := range fields {
		if value != nil {
			if err := unstructured.SetNestedField(merge, value, path(field)...); err != nil {
				return fmt.Errorf("field %s: %w", field, err)
			}
			continue
		}
		if err := setNull(merge, path(field)); err != nil {
			return fmt.Errorf("field %s: %w", field, err)
		}
	}
	body, err := json.Marshal(merge)
	if err != nil {
		return fmt.Errorf("encode patch: %w", err)
	}
	if _, err := c.of(resource).Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("patch %s %s: %w", resource.Resource, name, err)
	}
	return nil
}

// setNull sets a field to nil, the one value that SetNestedField does not take.
func setNull(object map[string]any, field []string) error {
	for _, name := range field[:len(field)-1] {
		if object[name] == nil {
			object[name] = map[string]any{}
		}
		inner, ok := object[name].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is not an object", name)
		}
		object = inner
	}
	object[field[len(field)-1]] = nil
	return nil
}

// text returns a string field, or "" if it is missing.
func text(object *unstructured.Unstructured, field string) string {
	value, _, err := unstructured.NestedString(object.Object, path(field)...)
	if err != nil {
		return ""
	}
	return value
}

// subject is an object that a wait watches.
type subject struct {
	resource schema.GroupVersionResource
	name     string
}

// await looks until look is done or the context ends. A context without a deadline gets Settings.Timeout.
func (c *Client) await(ctx context.Context, what string, look await.Look, subjects ...subject) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.settings.Timeout)
		defer cancel()
	}
	var watched []await.Subject
	for _, s := range subjects {
		watched = append(watched, await.Subject{Resource: c.of(s.resource), Name: s.name})
	}
	return await.Until(ctx, what, look, watched...)
}
