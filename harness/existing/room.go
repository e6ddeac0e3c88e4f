package existing

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/evidence"
)

// checkNodes finds nodes that cannot run the harness's own image, which is made of the running program.
func (s *Site) checkNodes(ctx context.Context) ([]string, error) {
	environment, err := evidence.Environment(ctx, s.client)
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		return nil, err
	}
	if err != nil {
		return []string{err.Error()}, nil
	}
	if environment.Architecture != runtime.GOARCH {
		return []string{fmt.Sprintf("the nodes are of %s, and this command is of %s: install it on a machine of their architecture", environment.Architecture, runtime.GOARCH)}, nil
	}
	return nil, nil
}

func (s *Site) checkPullSecret(ctx context.Context) ([]string, error) {
	name := s.config.Images.PullSecret
	if name == "" {
		return nil, nil
	}
	_, err := s.client.CoreV1().Secrets(s.namespace()).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return []string{fmt.Sprintf("images.pullSecret: there is no Secret %s in namespace %s", name, s.namespace())}, nil
	}
	return nil, err
}

func (s *Site) checkStorage(ctx context.Context) ([]string, error) {
	classes, err := s.client.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("storage classes: %w", err)
	}
	claim, err := s.client.CoreV1().PersistentVolumeClaims(s.namespace()).Get(ctx, s.config.Server.Name+"-data", metav1.GetOptions{})
	if err != nil {
		return []string{fmt.Sprintf("server.name: claim of the world: %v", err)}, nil
	}
	wanted := ""
	if claim.Spec.StorageClassName != nil {
		wanted = *claim.Spec.StorageClassName
	}
	for _, class := range classes.Items {
		if class.Name == wanted || wanted == "" && class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			return nil, nil
		}
	}
	return []string{fmt.Sprintf("storage class %q of claim %s is not there: the clone's claims would stay unbound", wanted, claim.Name)}, nil
}

// copies is how many copies of the server a run has at the same time: the member and one clone.
const copies = 2

func (s *Site) checkQuota(ctx context.Context) ([]string, error) {
	quotas, err := s.client.CoreV1().ResourceQuotas(s.namespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("quotas: %w", err)
	}
	pod, err := s.client.CoreV1().Pods(s.namespace()).Get(ctx, s.config.Server.Name+"-0", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // checkServer has said so
	}
	if err != nil {
		return nil, err
	}
	claims, err := s.client.CoreV1().PersistentVolumeClaims(s.namespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	needed := needs(pod, claims.Items)
	var problems []string
	for _, quota := range quotas.Items {
		for name, need := range needed {
			left, limited := quota.Status.Hard[name]
			left.Sub(quota.Status.Used[name])
			if limited && left.Cmp(need) < 0 {
				problems = append(problems, fmt.Sprintf("quota %s leaves %s %s, and a rehearsal needs %s", quota.Name, left.String(), name, need.String()))
			}
		}
	}
	slices.Sort(problems)
	return problems, nil
}

// needs is what the copies of a server's pod take from a quota. A Restore or a reading of the claims adds a pod; the player
// and the repository are two more.
func needs(pod *corev1.Pod, claims []corev1.PersistentVolumeClaim) corev1.ResourceList {
	total := corev1.ResourceList{}
	add := func(name corev1.ResourceName, quantity resource.Quantity) {
		sum := total[name]
		sum.Add(quantity)
		total[name] = sum
	}
	for range copies {
		for _, container := range pod.Spec.Containers {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				add(name, container.Resources.Requests[name]) // quotas know requests by two names
				add("requests."+name, container.Resources.Requests[name])
				add("limits."+name, container.Resources.Limits[name])
			}
		}
		for _, volume := range pod.Spec.Volumes {
			for i := range claims {
				if source := volume.PersistentVolumeClaim; source != nil && source.ClaimName == claims[i].Name {
					add(corev1.ResourcePersistentVolumeClaims, *resource.NewQuantity(1, resource.DecimalSI))
					add(corev1.ResourceRequestsStorage, claims[i].Spec.Resources.Requests[corev1.ResourceStorage])
				}
			}
		}
	}
	total[corev1.ResourcePods] = *resource.NewQuantity(copies+3, resource.DecimalSI)
	for name, quantity := range total {
		if quantity.IsZero() {
			delete(total, name)
		}
	}
	return total
}
