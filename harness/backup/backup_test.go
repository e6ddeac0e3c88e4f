package backup

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
)

var options = Options{Namespace: "games", Image: "witness@sha256:a", Labels: map[string]string{adapter.RunLabel: "run-1"}}

// cluster returns an API server that gives new Deployments this status.
func cluster(t *testing.T, status appsv1.DeploymentStatus) *fake.Clientset {
	t.Helper()
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: "games", Labels: map[string]string{adapter.RunLabel: "run-1"},
	}})
	made, err := client.AppsV1().Deployments("games").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Stop)
	go func() {
		event, ok := <-made.ResultChan()
		if deployment, is := event.Object.(*appsv1.Deployment); ok && is {
			deployment = deployment.DeepCopy()
			deployment.Status = status
			_, _ = client.AppsV1().Deployments("games").UpdateStatus(t.Context(), deployment, metav1.UpdateOptions{})
		}
	}()
	return client
}

func TestDeploy(t *testing.T) {
	t.Parallel()
	var passwords []string
	for range 2 {
		client := cluster(t, appsv1.DeploymentStatus{Replicas: 1, ReadyReplicas: 1, AvailableReplicas: 1})
		if err := deploy(t.Context(), client, options); err != nil {
			t.Fatal(err)
		}
		secret, err := client.CoreV1().Secrets("games").Get(t.Context(), adapter.DefaultRepository, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		repo := regexp.MustCompile(`^rest:http://restic:([A-Z2-7]{26})@rest-server\.games\.svc:8000/$`).FindSubmatch(secret.Data["repo"])
		if repo == nil {
			t.Fatalf("repository %s", secret.Data["repo"])
		}
		server, err := client.CoreV1().Secrets("games").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		hash, ok := bytes.CutPrefix(bytes.TrimSpace(server.Data["htpasswd"]), []byte("restic:"))
		if !ok || bcrypt.CompareHashAndPassword(hash, repo[1]) != nil {
			t.Errorf("the server takes %q, restic has %q", server.Data, repo[1])
		}
		passwords = append(passwords, string(secret.Data["password"]))
		deployment, err := client.AppsV1().Deployments("games").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if deployment.Labels[adapter.RunLabel] != "run-1" || secret.Labels[adapter.RunLabel] != "run-1" {
			t.Errorf("labels %v and %v", deployment.Labels, secret.Labels)
		}
	}
	if len(passwords[0]) < 20 || passwords[0] == passwords[1] {
		t.Errorf("passwords of %d characters are not random", len(passwords[0]))
	}
}

func TestDeploySaysWhatItSaw(t *testing.T) {
	t.Parallel()
	client := cluster(t, appsv1.DeploymentStatus{Replicas: 1, Conditions: []appsv1.DeploymentCondition{{Message: "image cannot be pulled"}}})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	err := deploy(ctx, client, options)
	if err == nil || !strings.Contains(err.Error(), "1 replicas, 0 ready") || !strings.Contains(err.Error(), "cannot be pulled") {
		t.Errorf("Deploy = %v", err)
	}
}
