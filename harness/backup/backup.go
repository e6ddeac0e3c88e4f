// Package backup puts a restic repository into a namespace: a rest-server whose volume lives as long as its pod, and
// the Secret that backups and restores read. Only the cluster can connect to the repository, and it is deleted with the
// namespace.
package backup

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"golang.org/x/crypto/bcrypt"
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
	user = "restic"

	// wait bounds the server's start; most of it goes into pulling the image.
	wait = 2 * time.Minute
)

// Deploy starts a rest-server from the image, a reference by digest, and returns once it accepts connections. It
// creates the Secret adapter.DefaultRepository: "repo" is the repository's address with a new login, "password" is the
// repository's new password. Every object has the namespace's run label.
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
	login := rand.Text()
	hashes, err := htpasswd(login)
	if err != nil {
		return err
	}
	options := metav1.CreateOptions{}
	for _, secret := range []*corev1.Secret{repository(meta, login), {ObjectMeta: meta, Data: hashes}} {
		if _, err := client.CoreV1().Secrets(namespace).Create(ctx, secret, options); err != nil {
			return err
		}
	}
	if _, err := client.CoreV1().Services(namespace).Create(ctx, service(meta), options); err != nil {
		return err
	}
	if _, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment(meta, image), options); err != nil {
		return err
	}
	return serves(ctx, client, meta)
}

// repository returns the Secret that backups and restores read. restic does not print the login.
func repository(meta metav1.ObjectMeta, login string) *corev1.Secret {
	repo := fmt.Sprintf("rest:http://%s:%s@%s.%s.svc:%d/", user, login, name, meta.Namespace, port)
	meta.Name = adapter.DefaultRepository
	return &corev1.Secret{
		ObjectMeta: meta,
		Data:       map[string][]byte{"repo": []byte(repo), "password": []byte(rand.Text())},
	}
}

// htpasswd returns the server's login file. The login is random, so a costly hash would add nothing.
func htpasswd(login string) (map[string][]byte, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(login), bcrypt.MinCost)
	if err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	return map[string][]byte{htpasswdFile: fmt.Appendf(nil, "%s:%s\n", user, hash)}, nil
}

// serves waits until the Deployment is available.
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
