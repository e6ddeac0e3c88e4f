package adapter

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod returns the current pod of a server, or nil if it has none. Secret values in its status are redacted.
func (c *Client) Pod(ctx context.Context, server string) (*corev1.Pod, error) {
	pod, err := c.typed.CoreV1().Pods(c.namespace).Get(ctx, podName(server), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get pod of server %s: %w", server, err)
	}
	if err := c.redactPod(ctx, server, pod); err != nil {
		return nil, err
	}
	return pod, nil
}
