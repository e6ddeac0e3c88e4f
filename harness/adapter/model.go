package adapter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// modelFields are what a clone copies of a server. Everything else is left out, networking above all: a clone of a
// production server must not be published, wake up by itself, or be backed up by a schedule.
var modelFields = []string{
	"templateRef", "version", "env", "config", "probes", "resources", "storage", "stopGracePeriodSeconds",
	"nodeSelector", "tolerations", "affinity", "mods",
}

// Model is a running server that clones copy.
type Model struct {
	Name     string
	Template string // name of its GameTemplate
	Image    string // what its pod runs, by digest
	Data     string // where its primary claim is mounted in the game's container
	Claims   int    // how many claims it has
	Pod      *corev1.Pod
	spec     map[string]any
}

// Model reads a running server. It only reads.
func (c *Client) Model(ctx context.Context, server string) (*Model, error) {
	object, err := c.get(ctx, servers, server)
	if err != nil {
		return nil, err
	}
	pod, err := c.Pod(ctx, server)
	if err != nil {
		return nil, err
	}
	if pod == nil {
		return nil, fmt.Errorf("server %s has no pod: start it, so that it can be seen what it runs", server)
	}
	image := ""
	if status := gameStatus(pod); status != nil {
		image = strings.TrimPrefix(status.ImageID, "docker-pullable://")
	}
	// An image that was loaded into the node has an ID, and no repository to pull it from.
	if repository, digest, _ := strings.Cut(image, "@"); repository == "" || !statement.IsDigest(digest) {
		return nil, fmt.Errorf("server %s does not run an image from a registry, by digest", server)
	}
	model := &Model{
		Name: server, Template: text(object, "spec.templateRef.name"), Image: image,
		Data: mountOf(pod, server+"-data"), Claims: claimsIn(pod), Pod: pod, spec: map[string]any{},
	}
	if model.Data == "" {
		return nil, fmt.Errorf("server %s does not mount its claim %s-data", server, server)
	}
	whole, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", server, err)
	}
	for _, field := range modelFields {
		if value, ok := whole[field]; ok {
			model.spec[field] = value
		}
	}
	// A clone is filled by a Restore, not by another source of data.
	unstructured.RemoveNestedField(model.spec, "storage", "dataSource")
	return model, nil
}

// Game is the container that runs the server's game.
func (m *Model) Game() corev1.Container {
	for _, container := range m.Pod.Spec.Containers {
		if container.Name == GameContainer {
			return container
		}
	}
	return corev1.Container{}
}

// specFor is the spec of a clone.
func (m *Model) specFor(server Server) map[string]any {
	spec := runtime.DeepCopyJSON(m.spec)
	spec["suspend"] = server.Suspend
	if server.StopGrace > 0 {
		spec["stopGracePeriodSeconds"] = int64(server.StopGrace.Seconds())
	}
	if len(server.Env) > 0 {
		spec["env"] = withEnv(spec["env"], server.Env)
	}
	return spec
}

// mountOf is where the game's container mounts a claim, "" where it does not.
func mountOf(pod *corev1.Pod, claim string) string {
	volume := ""
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim {
			volume = v.Name
		}
	}
	for _, container := range pod.Spec.Containers {
		if container.Name != GameContainer {
			continue
		}
		for _, mount := range container.VolumeMounts {
			if volume != "" && mount.Name == volume {
				return mount.MountPath
			}
		}
	}
	return ""
}

func claimsIn(pod *corev1.Pod) int {
	count := 0
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			count++
		}
	}
	return count
}

// withEnv sets variables in a list of them.
func withEnv(list any, env map[string]string) []any {
	have, _ := list.([]any)
	kept := slices.DeleteFunc(have, func(each any) bool {
		variable, _ := each.(map[string]any)
		name, _ := variable["name"].(string)
		_, set := env[name]
		return set
	})
	for _, name := range slices.Sorted(maps.Keys(env)) {
		kept = append(kept, map[string]any{"name": name, "value": env[name]})
	}
	return kept
}
