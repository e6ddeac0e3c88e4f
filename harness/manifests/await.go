package manifests

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// limit bounds each wait. Pulling the operator's image takes most of the longest wait.
const limit = 3 * time.Minute

// state reports whether an object is in the wanted state, and describes its state. The object is nil if it is missing.
type state func(*unstructured.Unstructured) (ok bool, seen string, err error)

// until watches an object until it is in the wanted state.
func until(ctx context.Context, client dynamic.Interface, object *unstructured.Unstructured, what string, wanted state) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resource, err := of(client, object)
	if err != nil {
		return err
	}
	look := func(ctx context.Context) (bool, string, error) {
		present, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return wanted(nil)
		}
		if err != nil {
			return false, "", err
		}
		return wanted(present)
	}
	what = fmt.Sprintf("%s %s %s", object.GetKind(), object.GetName(), what)
	return await.Until(ctx, what, look, await.Subject{Resource: resource, Name: object.GetName()})
}

// established reports whether a CRD is served, and otherwise its conditions.
func established(object *unstructured.Unstructured) (bool, string, error) {
	if object == nil {
		return false, "deleted", nil
	}
	var crd apiextensions.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &crd); err != nil {
		return false, "", err
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensions.Established && condition.Status == apiextensions.ConditionTrue {
			return true, "", nil
		}
	}
	return false, fmt.Sprintf("conditions %+v", crd.Status.Conditions), nil
}

// rolledOut reports whether the operator runs as its Deployment says, without an older pod.
func rolledOut(object *unstructured.Unstructured) (bool, string, error) {
	if object == nil {
		return false, "deleted", nil
	}
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment); err != nil {
		return false, "", err
	}
	status := deployment.Status
	state := fmt.Sprintf("generation %d of %d, %d replicas, %d updated, %d available",
		status.ObservedGeneration, deployment.Generation, status.Replicas, status.UpdatedReplicas, status.AvailableReplicas)
	ok := status.ObservedGeneration == deployment.Generation &&
		status.Replicas == 1 && status.UpdatedReplicas == 1 && status.AvailableReplicas == 1
	return ok, state, nil
}
