package adapter

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/GameplanePanel/rehearsal/harness/crdschema"
)

// gameUser is the user of Gameplane's restic Jobs. A game that runs as another one writes files that they cannot read.
const gameUser = int64(65532)

// conform gives a template what an operator's schema requires and the reference operator's does not: names for people, an
// image for each version, and the console commands that quiesce a save.
func conform(spec map[string]any, template Template, definition *unstructured.Unstructured) error {
	if crdschema.Requires(definition, "spec", "displayName") {
		setDefault(spec, "displayName", template.Name)
	}
	if crdschema.Requires(definition, "spec", "version") {
		setDefault(spec, "version", "1")
	}
	if !crdschema.Serves(definition, "spec.capabilities.quiesce.quiesce") {
		return nil
	}
	for field, value := range map[string]any{
		"spec.capabilities.quiesce": map[string]any{
			"quiesce":   []any{"save-off", "save-all flush"},
			"unquiesce": []any{"save-on"},
		},
		"spec.rcon.protocol":    "source",
		"spec.storage":          map[string]any{"size": claimSize, "mountPath": "/data"},
		"spec.security":         map[string]any{"runAsUser": gameUser, "runAsGroup": gameUser, "fsGroup": gameUser},
		"spec.probes.readiness": map[string]any{"tcpSocket": map[string]any{"port": int64(25565)}, "periodSeconds": int64(1)},
	} {
		if err := setField(map[string]any{"spec": spec}, field, value); err != nil {
			return err
		}
	}
	conformVersions(spec, template)
	return conformLoaders(spec)
}

// conformVersions gives each version a name and an image.
func conformVersions(spec map[string]any, template Template) {
	versions, _ := spec["versions"].([]any)
	for _, each := range versions {
		if version, ok := each.(map[string]any); ok {
			setDefault(version, "displayName", version["id"])
			setDefault(version, "image", template.Image)
		}
	}
}

// conformLoaders puts the mods inside the data volume: the paths of loaders are relative to it.
func conformLoaders(spec map[string]any) error {
	loaders, _, err := unstructured.NestedMap(spec, "capabilities", "mods", "loaders")
	if err != nil {
		return err
	}
	for name, each := range loaders {
		loader, ok := each.(map[string]any)
		if !ok {
			continue
		}
		if path, ok := loader["path"].(string); ok {
			loader["path"] = strings.TrimPrefix(path, "/")
			if err := unstructured.SetNestedMap(spec, loader, "capabilities", "mods", "loaders", name); err != nil {
				return err
			}
		}
	}
	return nil
}

func setDefault(object map[string]any, field string, value any) {
	if _, ok := object[field]; !ok {
		object[field] = value
	}
}

// setImage gives a template another image, and each of its versions that has one: a version's image wins.
func setImage(template *unstructured.Unstructured, image string) error {
	if err := unstructured.SetNestedField(template.Object, image, "spec", "image"); err != nil {
		return err
	}
	versions, found, err := unstructured.NestedSlice(template.Object, "spec", "versions")
	if err != nil || !found {
		return err
	}
	for _, each := range versions {
		if version, ok := each.(map[string]any); ok && version["image"] != nil {
			version["image"] = image
		}
	}
	return unstructured.SetNestedSlice(template.Object, versions, "spec", "versions")
}
