package adapter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// If a game leaves no termination message, the kubelet uses its last lines of output, and the operator does the same
// with restic's output. These messages go into receipts, which are signed and shared. So the client redacts the values
// of all Secrets that these programs know before anything else reads the messages.

const (
	redacted = "[redacted]"
	// minSecret is the least length, in bytes, of a value to redact: a shorter one occurs by chance in any text.
	minSecret = 6
)

// redactPod redacts the values of Secrets in a pod's status.
func (c *Client) redactPod(ctx context.Context, server string, pod *corev1.Pod) error {
	messages := messagesOf(&pod.Status)
	if !slices.ContainsFunc(messages, func(m *string) bool { return *m != "" }) {
		return nil
	}
	values, err := c.valuesOf(ctx, c.secretsOf(server, pod))
	if err != nil {
		return err
	}
	for _, message := range messages {
		*message = redact(*message, values)
	}
	return nil
}

// messagesOf returns every text of a status that may quote a program's output.
func messagesOf(status *corev1.PodStatus) []*string {
	messages := []*string{&status.Message}
	for i := range status.Conditions {
		messages = append(messages, &status.Conditions[i].Message)
	}
	for _, container := range slices.Concat(status.InitContainerStatuses, status.ContainerStatuses) {
		for _, state := range []corev1.ContainerState{container.State, container.LastTerminationState} {
			if state.Waiting != nil {
				messages = append(messages, &state.Waiting.Message)
			}
			if state.Terminated != nil {
				messages = append(messages, &state.Terminated.Message)
			}
		}
	}
	return messages
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
			if value = bytes.TrimSpace(value); len(value) >= minSecret {
				values = append(values, string(value))
			}
		}
	}
	return values, nil
}

// redact replaces values in a text. At the ends of the text it also replaces a part of a value that a size limit cut
// off.
func redact(text string, values []string) string {
	// Longest first: once a shorter value inside a longer one is replaced, the longer one no longer matches.
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		text = strings.ReplaceAll(text, value, redacted)
	}
	for _, value := range values {
		text = redactStart(redactEnd(text, value), value)
	}
	return text
}

func redactStart(text, value string) string {
	for n := min(len(value)-1, len(text)); n >= minSecret; n-- {
		if rest, found := strings.CutPrefix(text, value[len(value)-n:]); found {
			return redacted + rest
		}
	}
	return text
}

func redactEnd(text, value string) string {
	body := strings.TrimSuffix(text, "…") // the operator's mark for a cut
	for n := min(len(value)-1, len(body)); n >= minSecret; n-- {
		if rest, found := strings.CutSuffix(body, value[:n]); found {
			return rest + redacted
		}
	}
	return text
}
