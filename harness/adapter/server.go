package adapter

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Server describes a GameServer to create.
type Server struct {
	Name     string
	Template string
	// Revision is the digest of the template revision that the server starts with, if it adopts on request.
	Revision string
	// Image is the image that the server starts with, if the operator does not support adoption on request.
	Image string
	// Extra are the claims in addition to the primary one. If it is nil, the server gets one named "world" at /extra.
	Extra []ExtraClaim
	// StopGrace is how long the game may take to save when it is stopped, in whole seconds. The default is 10 seconds.
	StopGrace time.Duration
	// Suspend creates the server without starting it.
	Suspend bool
	// StorageClass is the cluster's default if it is empty.
	StorageClass string
	// Model is the server that this one copies: Template, Extra and StorageClass then come from it, and StopGrace where
	// it is zero.
	Model *Model
	// Env are variables of the game, over those of the Model.
	Env map[string]string
}

// ExtraClaim is a claim in addition to the primary one.
type ExtraClaim struct {
	Name      string
	MountPath string
}

const defaultGrace = 10 * time.Second

// CreateServer creates a server that adopts on request, or one with a pinned image if the operator supports no
// requests.
func (c *Client) CreateServer(ctx context.Context, server Server) error {
	features, err := c.Features(ctx)
	if err != nil {
		return err
	}
	spec := specOf(server, features)
	object := map[string]any{"spec": spec}
	for field, value := range c.adoption(features, Revision{TemplateDigest: server.Revision, Image: server.Image}) {
		if err := setField(object, field, value); err != nil {
			return fmt.Errorf("server %s: %w", server.Name, err)
		}
	}
	if features.OnRequest {
		if err := setField(object, c.settings.PolicyField, c.settings.OnRequest); err != nil {
			return fmt.Errorf("server %s: %w", server.Name, err)
		}
	}
	_, err = c.create(ctx, servers, "GameServer", server.Name, spec)
	return err
}

func specOf(server Server, features Features) map[string]any {
	if server.Model != nil {
		return server.Model.specFor(server)
	}
	return map[string]any{
		"templateRef":            map[string]any{"name": server.Template},
		"suspend":                server.Suspend,
		"stopGracePeriodSeconds": int64(graceOf(server).Seconds()),
		"storage":                storageOf(server, features),
	}
}

func graceOf(server Server) time.Duration {
	if server.StopGrace == 0 {
		return defaultGrace
	}
	return server.StopGrace
}

// claimSize is the size of a claim of a server made for a rehearsal.
const claimSize = "1Gi"

func storageOf(server Server, features Features) map[string]any {
	extras := server.Extra
	if extras == nil && features.ExtraClaims { // otherwise no backup holds them, and a clone would lack them
		extras = []ExtraClaim{{Name: "world", MountPath: "/extra"}}
	}
	list := []any{}
	for _, extra := range extras {
		list = append(list, map[string]any{"name": extra.Name, "mountPath": extra.MountPath, "size": claimSize})
	}
	storage := map[string]any{"extra": list}
	if server.StorageClass != "" {
		storage["storageClassName"] = server.StorageClass
	}
	return storage
}

// Delete removes a server, with everything that it owns, and returns once its pod is gone. A server that does not exist
// is removed already.
func (c *Client) Delete(ctx context.Context, server string) error {
	background := metav1.DeletePropagationBackground
	err := c.of(servers).Delete(ctx, server, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete server %s: %w", server, err)
	}
	look := func(ctx context.Context) (bool, string, error) {
		pod, err := c.Pod(ctx, server)
		if err != nil || pod == nil {
			return pod == nil, "", err
		}
		return false, fmt.Sprintf("pod %s %s", pod.UID, pod.Status.Phase), nil
	}
	return c.await(ctx, "pod of server "+server+" to go", look, subject{pods, podName(server)})
}

// Suspend stops the server and returns once its pod is gone.
func (c *Client) Suspend(ctx context.Context, server string) error {
	if err := c.patch(ctx, servers, server, map[string]any{"spec.suspend": true}); err != nil {
		return err
	}
	return c.awaitGone(ctx, server)
}

// awaitGone waits until the workload has no replicas and no pod.
func (c *Client) awaitGone(ctx context.Context, server string) error {
	look := func(ctx context.Context) (bool, string, error) {
		seen, err := c.see(ctx, server)
		if err != nil {
			return false, "", err
		}
		down := seen.set != nil && seen.set.Spec.Replicas != nil && *seen.set.Spec.Replicas == 0
		return down && seen.pod == nil, seen.String(), nil
	}
	return c.await(ctx, "pod of server "+server+" to be gone", look, subjectsOf(server)...)
}

// ReplacePod deletes the server's pod, gracefully, once its workload is of the newest revision. If it deleted the pod
// earlier, the next pod would be of the old revision. A StatefulSet does not itself replace a pod that never became
// ready (kubernetes#67250). ReplacePod does not wait for the next pod: see AwaitRunning.
func (c *Client) ReplacePod(ctx context.Context, server string) error {
	var pod *corev1.Pod
	look := func(ctx context.Context) (bool, string, error) {
		seen, err := c.see(ctx, server)
		if err != nil {
			return false, "", err
		}
		pod = seen.pod
		return seen.current(), seen.String(), nil
	}
	if err := c.await(ctx, "workload of server "+server, look, subjectsOf(server)...); err != nil || pod == nil {
		return err
	}
	err := c.typed.CoreV1().Pods(c.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	// A conflict means that another pod has the name, so the old one is already replaced.
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete pod of server %s: %w", server, err)
	}
	return nil
}

func podName(server string) string { return server + "-0" }
