// Package backup puts a restic repository into a namespace: a rest-server on a volume that goes with its pod, and the
// Secret by which backups and restores find it. The repository is reached from inside the cluster alone, and lives no
// longer than the namespace.
package backup

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/await"
)

const (
	name = "rest-server"
	port = 8000

	// wait bounds the start of the server; pulling its image takes most of it.
	wait = 2 * time.Minute
)

// Deploy starts a rest-server from the image, which is a reference by digest, and returns once it takes connections. The
// namespace gets a Secret adapter.DefaultRepository with the repository's address ("repo") and a new password
// ("password"). Everything carries the namespace's own run label.
func Deploy(ctx context.Context, config *rest.Config, namespace, image string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("repository: %w", err)
	}
	if err := deploy(ctx, client, namespace, image); err != nil {
		return fmt.Errorf("repository in namespace %s: %w", namespace, err)
	}
	return nil
}

func deploy(ctx context.Context, client kubernetes.Interface, namespace, image string) error {
	home, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	if err != nil {
		return err
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{
		"app.kubernetes.io/name": name,
		adapter.RunLabel:         home.Labels[adapter.RunLabel],
	}}
	options := metav1.CreateOptions{}
	if _, err := client.CoreV1().Secrets(namespace).Create(ctx, secret(meta), options); err != nil {
		return err
	}
	if _, err := client.CoreV1().Services(namespace).Create(ctx, service(meta), options); err != nil {
		return err
	}
	if _, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment(meta, image), options); err != nil {
		return err
	}
	return serves(ctx, client, meta)
}

func secret(meta metav1.ObjectMeta) *corev1.Secret {
	repo := fmt.Sprintf("rest:http://%s.%s.svc:%d/", name, meta.Namespace, port)
	meta.Name = adapter.DefaultRepository
	return &corev1.Secret{
		ObjectMeta: meta,
		Data:       map[string][]byte{"repo": []byte(repo), "password": []byte(rand.Text())},
	}
}

// serves waits until the Deployment's pod is ready.
func serves(ctx context.Context, client kubernetes.Interface, meta metav1.ObjectMeta) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	resource := client.AppsV1().Deployments(meta.Namespace)
	look := func(ctx context.Context) (bool, string, error) {
		deployment, err := resource.Get(ctx, meta.Name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		status := deployment.Status
		state := fmt.Sprintf("%d replicas, %d ready, conditions %v", status.Replicas, status.ReadyReplicas, status.Conditions)
		return status.AvailableReplicas == 1, state, nil
	}
	return await.Until(ctx, meta.Name+" to serve", look, await.Subject{Resource: resource, Name: meta.Name})
}
