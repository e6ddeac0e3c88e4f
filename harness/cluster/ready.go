package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"

	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// awaitReady blocks until the node takes pods, volumes are provisioned, names
// resolve and Services answer. Its error names each thing that is not so, with
// the last that was seen of it.
func awaitReady(ctx context.Context, config *rest.Config, node string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	group, groupContext := errgroup.WithContext(ctx)
	for _, awaited := range []object{
		{"node " + node, client.CoreV1().RESTClient(), "nodes", "", node, &corev1.Node{}, nodeReady},
		{"kube-proxy", client.AppsV1().RESTClient(), "daemonsets", "kube-system", "kube-proxy", &appsv1.DaemonSet{}, daemonReady},
		{"CoreDNS", client.AppsV1().RESTClient(), "deployments", "kube-system", "coredns", &appsv1.Deployment{}, deploymentReady},
		{"local-path provisioner", client.AppsV1().RESTClient(), "deployments", "local-path-storage", "local-path-provisioner", &appsv1.Deployment{}, deploymentReady},
		// Without it no pod is admitted.
		{"default service account", client.CoreV1().RESTClient(), "serviceaccounts", "default", "default", &corev1.ServiceAccount{}, present},
	} {
		group.Go(func() error { return awaited.await(groupContext) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return awaitServices(ctx, client, node)
}

// object is one thing of the cluster's that has to reach a state.
type object struct {
	what      string
	client    rest.Interface
	resource  string
	namespace string
	name      string
	kind      runtime.Object
	// ready tells whether the state is reached, and describes it.
	ready func(runtime.Object) (bool, string)
}

func (o object) await(ctx context.Context) error {
	last := "never seen"
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, o.name)
	listWatch := cache.NewListWatchFromClient(o.client, o.resource, o.namespace, selector)
	_, err := toolswatch.UntilWithSync(ctx, listWatch, o.kind, nil, func(event watch.Event) (bool, error) {
		if event.Type == watch.Deleted {
			last = "deleted"
			return false, nil
		}
		ready, seen := o.ready(event.Object)
		last = seen
		return ready, nil
	})
	if err != nil {
		return fmt.Errorf("await %s: %w: last seen: %s", o.what, context.Cause(ctx), last)
	}
	return nil
}

func present(runtime.Object) (bool, string) { return true, "present" }

func nodeReady(o runtime.Object) (bool, string) {
	for _, condition := range o.(*corev1.Node).Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue, condition.Reason + ": " + condition.Message
		}
	}
	return false, "no Ready condition"
}

func daemonReady(o runtime.Object) (bool, string) {
	status := o.(*appsv1.DaemonSet).Status
	ready := status.DesiredNumberScheduled > 0 && status.NumberReady == status.DesiredNumberScheduled
	return ready, fmt.Sprintf("%d of %d pods ready", status.NumberReady, status.DesiredNumberScheduled)
}

func deploymentReady(o runtime.Object) (bool, string) {
	status := o.(*appsv1.Deployment).Status
	for _, condition := range status.Conditions {
		if condition.Type == appsv1.DeploymentAvailable {
			return condition.Status == corev1.ConditionTrue, condition.Reason + ": " + condition.Message
		}
	}
	return false, fmt.Sprintf("%d of %d pods ready", status.ReadyReplicas, status.Replicas)
}

// awaitServices blocks until Services answer over TCP: a ready kube-proxy may
// have failed at every rule and only its log would say so.
func awaitServices(ctx context.Context, client kubernetes.Interface, node string) error {
	const connect = `until (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; do sleep 0.1; done`
	for _, awaited := range []struct{ namespace, name, port string }{
		{"default", "kubernetes", "443"},  // leads to the node itself
		{"kube-system", "kube-dns", "53"}, // leads to a pod
	} {
		service, err := client.CoreV1().Services(awaited.namespace).Get(ctx, awaited.name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("await services: %w", err)
		}
		address := service.Spec.ClusterIP
		if _, err := docker.Output(ctx, "exec", node, "timeout", "60", "bash", "-c", connect, "bash", address, awaited.port); err != nil {
			return fmt.Errorf("service %s/%s does not answer on %s:%s within a minute: %w", awaited.namespace, awaited.name, address, awaited.port, err)
		}
	}
	return nil
}
