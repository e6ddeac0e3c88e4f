package manifests

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// ErrForeign means that the cluster has an object of that name which Install did not create, such as the CRDs of a
// Gameplane that somebody runs there. Install leaves it alone.
var ErrForeign = errors.New("object belongs to somebody else")

const fieldManager = "rehearsal"

// resources maps every kind in the manifests to its resource.
var resources = map[string]schema.GroupVersionResource{
	"CustomResourceDefinition": {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"Namespace":                {Version: "v1", Resource: "namespaces"},
	"ServiceAccount":           {Version: "v1", Resource: "serviceaccounts"},
	"Secret":                   {Version: "v1", Resource: "secrets"},
	"ClusterRole":              {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":       {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	"RoleBinding":              {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"Deployment":               {Group: "apps", Version: "v1", Resource: "deployments"},
}

// Install applies the CRDs, waits until they are served, applies the other objects in their order, and waits until each
// Deployment among them has rolled out. Installing again updates the objects. It returns ErrForeign before it changes
// anything.
func Install(ctx context.Context, config *rest.Config, crds, others []*unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, objects := range [][]*unstructured.Unstructured{crds, others} {
		for _, object := range objects {
			if err := refuseForeign(ctx, client, object); err != nil {
				return err
			}
		}
	}
	if err := apply(ctx, client, crds); err != nil {
		return err
	}
	for _, object := range crds {
		if err := until(ctx, client, object, "to be served", established); err != nil {
			return err
		}
	}
	if err := apply(ctx, client, others); err != nil {
		return err
	}
	for _, object := range others {
		if object.GetKind() != "Deployment" {
			continue
		}
		if err := until(ctx, client, object, "to roll out", rolledOut); err != nil {
			return err
		}
	}
	return nil
}

func refuseForeign(ctx context.Context, client dynamic.Interface, object *unstructured.Unstructured) error {
	resource, err := of(client, object)
	if err != nil {
		return err
	}
	present, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	if present.GetLabels()[LabelOwner] != Owner {
		return fmt.Errorf("%s %s has no label %s=%s: %w", object.GetKind(), object.GetName(), LabelOwner, Owner, ErrForeign)
	}
	return nil
}

func apply(ctx context.Context, client dynamic.Interface, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		resource, err := of(client, object)
		if err != nil {
			return err
		}
		_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

func of(client dynamic.Interface, object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	resource, known := resources[object.GetKind()]
	if !known {
		return nil, fmt.Errorf("%s %s: this kind is not among those that the installer knows", object.GetKind(), object.GetName())
	}
	if object.GetNamespace() == "" {
		return client.Resource(resource), nil
	}
	return client.Resource(resource).Namespace(object.GetNamespace()), nil
}
