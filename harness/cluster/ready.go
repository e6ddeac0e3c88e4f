package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/harness/docker"
)

// awaitReady blocks until the node takes pods, volumes are provisioned, names
// resolve and Services answer. Its error names each thing that is not ready and its
// last observed state.
func awaitReady(ctx context.Context, config *rest.Config, node string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	core, apps := client.CoreV1(), client.AppsV1()
	group, grouped := errgroup.WithContext(ctx)
	group.Go(func() error { return awaitObject(grouped, "node", node, core.Nodes(), nodeReady) })
	group.Go(func() error {
		return awaitObject(grouped, "daemon set", "kube-proxy", apps.DaemonSets("kube-system"), daemonReady)
	})
	group.Go(func() error {
		return awaitObject(grouped, "deployment", "coredns", apps.Deployments("kube-system"), deploymentReady)
	})
	group.Go(func() error {
		return awaitObject(grouped, "deployment", "local-path-provisioner", apps.Deployments("local-path-storage"), deploymentReady)
	})
	// Without it, no pod is admitted.
	group.Go(func() error {
		return awaitObject(grouped, "service account", "default", core.ServiceAccounts("default"), present)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return awaitServices(ctx, client, node)
}

// reader is the part of a typed client that a wait needs.
type reader[T any] interface {
	await.Watcher
	Get(context.Context, string, metav1.GetOptions) (T, error)
}

// awaitObject waits until an object is ready. ready also describes the object's state. A new API server may refuse
// requests at first: that counts as a state, not as an error.
func awaitObject[T any](ctx context.Context, kind, name string, client reader[T], ready func(T) (bool, string)) error {
	look := func(ctx context.Context) (bool, string, error) {
		object, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err.Error(), nil
		}
		done, seen := ready(object)
		return done, seen, nil
	}
	return await.Until(ctx, kind+" "+name, look, await.Subject{Resource: client, Name: name})
}

func present(*corev1.ServiceAccount) (bool, string) { return true, "present" }

func nodeReady(node *corev1.Node) (bool, string) {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue, condition.Reason + ": " + condition.Message
		}
	}
	return false, "no Ready condition"
}

func daemonReady(set *appsv1.DaemonSet) (bool, string) {
	status := set.Status
	ready := status.DesiredNumberScheduled > 0 && status.NumberReady == status.DesiredNumberScheduled
	return ready, fmt.Sprintf("%d of %d pods ready", status.NumberReady, status.DesiredNumberScheduled)
}

func deploymentReady(deployment *appsv1.Deployment) (bool, string) {
	status := deployment.Status
	for _, condition := range status.Conditions {
		if condition.Type == appsv1.DeploymentAvailable {
			return condition.Status == corev1.ConditionTrue, condition.Reason + ": " + condition.Message
		}
	}
	return false, fmt.Sprintf("%d of %d pods ready", status.ReadyReplicas, status.Replicas)
}

// awaitServices blocks until Services answer over TCP: a kube-proxy that is ready
// may have failed to write its rules, and only its log shows that.
func awaitServices(ctx context.Context, client kubernetes.Interface, node string) error {
	const connect = `until (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; do sleep 0.1; done`
	for _, awaited := range []struct{ namespace, name, port string }{
		{"default", "kubernetes", "443"},  // routes to the node itself
		{"kube-system", "kube-dns", "53"}, // routes to a pod
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
