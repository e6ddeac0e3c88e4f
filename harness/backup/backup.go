// Package backup puts a restic repository into a namespace: a rest-server whose volume lives as long as its pod, and
// the Secret that backups and restores read. Only the cluster can connect to the repository, and it is deleted with the
// namespace.
package backup

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
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

// Options say where a repository is served, and by what.
type Options struct {
	Namespace string
	Prefix    string            // before the name of everything that is made
	Image     string            // of the witness, by digest
	Labels    map[string]string // put on everything that is made
	// PullSecret is the Secret with which the cluster pulls the image; "" where it needs none.
	PullSecret string
}

// Deploy starts the server and returns once it takes connections. It makes the Secret Prefix + adapter.DefaultRepository
// with the repository's address, a new login in it ("repo"), and the repository's new password ("password").
func Deploy(ctx context.Context, config *rest.Config, options Options) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("repository: %w", err)
	}
	if err := deploy(ctx, client, options); err != nil {
		return fmt.Errorf("repository in namespace %s: %w", options.Namespace, err)
	}
	return nil
}

func deploy(ctx context.Context, client kubernetes.Interface, o Options) error {
	meta := metav1.ObjectMeta{Name: o.Prefix + name, Namespace: o.Namespace, Labels: selector(o.Prefix + name)}
	maps.Copy(meta.Labels, o.Labels)
	login := rand.Text()
	hashes, err := htpasswd(login)
	if err != nil {
		return err
	}
	options := metav1.CreateOptions{}
	for _, secret := range []*corev1.Secret{repository(meta, o.Prefix, login), {ObjectMeta: meta, Data: hashes}} {
		if _, err := client.CoreV1().Secrets(o.Namespace).Create(ctx, secret, options); err != nil {
			return err
		}
	}
	if _, err := client.CoreV1().Services(o.Namespace).Create(ctx, service(meta), options); err != nil {
		return err
	}
	if _, err := client.AppsV1().Deployments(o.Namespace).Create(ctx, deployment(meta, o), options); err != nil {
		return err
	}
	return serves(ctx, client, meta)
}

// repository is what backups and restores need to know. restic leaves the login out of what it prints.
func repository(meta metav1.ObjectMeta, prefix, login string) *corev1.Secret {
	repo := fmt.Sprintf("rest:http://%s:%s@%s.%s.svc:%d/", user, login, meta.Name, meta.Namespace, port)
	meta.Name = prefix + adapter.DefaultRepository
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
