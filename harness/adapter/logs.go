package adapter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/GameplanePanel/rehearsal/harness/redact"
)

// A log's end is as long as the kubelet makes a termination message of it.
const (
	logLines = 80
	logBytes = 2048
)

// lastWords reads the end of a container's log, "" where there is none any more.
func (c *Client) lastWords(ctx context.Context, pod, container string, previous bool) (string, error) {
	stream, err := c.typed.CoreV1().Pods(c.namespace).GetLogs(pod, &corev1.PodLogOptions{
		Container: container, Previous: previous, TailLines: ptr.To(int64(logLines)),
	}).Stream(ctx)
	if apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) { // the container is gone, or never started
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("log of pod %s: %w", pod, err)
	}
	defer stream.Close()
	text, err := io.ReadAll(io.LimitReader(stream, 1<<20))
	if err != nil {
		return "", fmt.Errorf("log of pod %s: %w", pod, err)
	}
	text = bytes.TrimSpace(text)
	return string(text[max(0, len(text)-logBytes):]), nil
}

// fillMessage puts the end of the log where a game ended and left no message. The kubelet does that only if the operator
// asks it to.
func (c *Client) fillMessage(ctx context.Context, pod *corev1.Pod) error {
	status := gameStatus(pod)
	if status == nil {
		return nil
	}
	for _, ended := range []struct {
		how      *corev1.ContainerStateTerminated
		previous bool
	}{{status.State.Terminated, false}, {status.LastTerminationState.Terminated, true}} {
		if ended.how == nil || ended.how.Message != "" {
			continue
		}
		words, err := c.lastWords(ctx, pod.Name, GameContainer, ended.previous)
		if err != nil {
			return err
		}
		ended.how.Message = words
	}
	return nil
}

// resticWords are restic's last words in the Job of a Backup or Restore, without the values of Secrets.
func (c *Client) resticWords(ctx context.Context, name string, secrets []string) (string, error) {
	selector := metav1.ListOptions{LabelSelector: fmt.Sprintf("job-name in (%s,restore-%s)", name, name)}
	list, err := c.typed.CoreV1().Pods(c.namespace).List(ctx, selector)
	if err != nil {
		return "", fmt.Errorf("pods of job %s: %w", name, err)
	}
	for i := range list.Items {
		for _, container := range containersOf(&list.Items[i]) {
			words, err := c.lastWords(ctx, list.Items[i].Name, container, false)
			if err != nil {
				return "", err
			}
			if words == "" {
				continue
			}
			values, err := c.valuesOf(ctx, secrets)
			return explain(redact.Text(lastLine(words), values)), err
		}
	}
	return "", nil
}

// containersOf names a pod's containers, those that copy before those that prepare.
func containersOf(pod *corev1.Pod) []string {
	var names []string
	for _, container := range pod.Spec.Containers {
		names = append(names, container.Name)
	}
	for _, container := range pod.Spec.InitContainers {
		names = append(names, container.Name)
	}
	return names
}

func lastLine(text string) string {
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// explain adds to restic's words what they hide: Gameplane creates a repository where it cannot open one.
func explain(words string) string {
	if strings.Contains(words, "config file already exists") {
		return words + " (the repository's password may be wrong, or it is locked)"
	}
	return words
}
