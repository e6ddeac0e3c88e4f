package adapter

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestModelNeedsAnImageToPull: a copy runs what the server runs, so the node must be able to pull it again.
func TestModelNeedsAnImageToPull(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("a", 64)
	for id, want := range map[string]string{
		"registry.example:5000/game@" + digest:    "registry.example:5000/game@" + digest,
		"docker-pullable://docker.io/g@" + digest: "docker.io/g@" + digest,
		digest:                       "", // loaded into the node
		"docker://" + digest:         "",
		"@" + digest:                 "",
		"registry.example/game:1":    "",
		"registry.example/g@sha256:": "",
		"":                           "",
	} {
		pod := readyPod(func(pod *corev1.Pod, status *corev1.ContainerStatus) {
			status.ImageID = id
			pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "s-data"},
			}}}
			pod.Spec.Containers = []corev1.Container{{Name: GameContainer, VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/data"}}}}
		})
		c, _ := newFake(t, Settings{}, []runtime.Object{gameServer(2)}, pod)
		model, err := c.Model(t.Context(), "s")
		if (err == nil) != (want != "") || err == nil && model.Image != want {
			t.Errorf("%q: %v, want %q", id, err, want)
		}
	}
}

// TestCloneIsNotPublished: what makes a server known to others, wakes it up or backs it up stays behind.
func TestCloneIsNotPublished(t *testing.T) {
	t.Parallel()
	server := gameServer(2)
	server.Object["spec"] = map[string]any{
		"templateRef": map[string]any{"name": "mc"}, "networking": map[string]any{"expose": "LoadBalancer"}, "idle": map[string]any{"enabled": true},
		"backupPolicy": map[string]any{"schedule": "@daily"}, "serviceAccountName": "admin",
		"storage": map[string]any{"size": "1Gi", "dataSource": map[string]any{"name": "snapshot"}},
		"env":     []any{map[string]any{"name": "ONLINE_MODE", "value": "TRUE"}},
	}
	pod := readyPod(func(pod *corev1.Pod, status *corev1.ContainerStatus) {
		status.ImageID = "game@sha256:" + strings.Repeat("a", 64)
		pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "s-data"},
		}}}
		pod.Spec.Containers = []corev1.Container{{Name: GameContainer, VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/data"}}}}
	})
	c, _ := newFake(t, Settings{}, []runtime.Object{server}, pod)
	model, err := c.Model(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	spec := model.specFor(Server{Env: map[string]string{"ONLINE_MODE": "FALSE"}})
	for key := range spec {
		if key != "templateRef" && key != "storage" && key != "env" && key != "suspend" {
			t.Errorf("a clone copies %s", key)
		}
	}
	if storage := spec["storage"].(map[string]any); storage["dataSource"] != nil || storage["size"] != "1Gi" {
		t.Errorf("storage %v", storage)
	}
	if env := spec["env"].([]any); len(env) != 1 || env[0].(map[string]any)["value"] != "FALSE" {
		t.Errorf("env %v", env)
	}
}
