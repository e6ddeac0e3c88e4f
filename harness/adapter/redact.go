package adapter

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/GameplanePanel/rehearsal/harness/redact"
)

// If a game leaves no termination message, the kubelet uses its last lines of output, and the operator does the same
// with restic's output. These messages go into receipts, which are signed and shared. So the client redacts the values
// of all Secrets that these programs know before anything else reads the messages.

// redactPod redacts the values of Secrets in a pod's status.
func (c *Client) redactPod(ctx context.Context, server string, pod *corev1.Pod) error {
	messages := redact.Messages(&pod.Status)
	if !slices.ContainsFunc(messages, func(m *string) bool { return *m != "" }) {
		return nil
	}
	values, err := c.valuesOf(ctx, c.secretsOf(server, pod))
	if err != nil {
		return err
	}
	for _, message := range messages {
		*message = redact.Text(*message, values)
	}
	return nil
}

// secretsOf names the Secrets that a server's game and restic know: the console's, the repository's, and those in the
// environment of the pod, which may be nil.
func (c *Client) secretsOf(server string, pod *corev1.Pod) []string {
	names := []string{server + "-rcon", c.settings.Repository}
	if pod != nil {
		for i := range pod.Spec.Containers {
			names = append(names, inEnvironment(&pod.Spec.Containers[i])...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// secretsOfCopy names the Secrets that a Backup or Restore knows. A Restore reads the repository of its Backup, which may be
// the user's.
func (c *Client) secretsOfCopy(ctx context.Context, server string, spec map[string]any) ([]string, error) {
	names := c.secretsOf(server, nil)
	from, _, err := unstructured.NestedString(spec, "backupRef", "name")
	if err != nil || from == "" {
		return names, err
	}
	backup, err := c.get(ctx, backups, from)
	if apierrors.IsNotFound(err) { // the operator says so
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	names = append(names, text(backup, "spec.repoRef.name"))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), nil
}

func inEnvironment(container *corev1.Container) []string {
	var names []string
	for _, env := range container.Env {
		if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil {
			names = append(names, env.ValueFrom.SecretKeyRef.Name)
		}
	}
	for _, from := range container.EnvFrom {
		if from.SecretRef != nil {
			names = append(names, from.SecretRef.Name)
		}
	}
	return names
}

// valuesOf returns the values of Secrets that are long enough to redact. A missing Secret has none.
func (c *Client) valuesOf(ctx context.Context, names []string) ([]string, error) {
	var values []string
	for _, name := range names {
		secret, err := c.typed.CoreV1().Secrets(c.namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get secret %s: %w", name, err)
		}
		for _, value := range secret.Data {
			if value = bytes.TrimSpace(value); len(value) >= redact.MinLength {
				values = append(values, string(value))
			}
		}
	}
	return values, nil
}
