package adapter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Template is a GameTemplate, from which servers are made.
type Template struct {
	Name  string
	Image string // by digest
	// Spec is the rest of the template's spec, as decoded from JSON.
	Spec map[string]any
}

// MinecraftTemplate returns a template for a server of Minecraft's Java edition: the game on port 25565, the console on
// port 25575, a world that can be quiesced, and a mods claim at /mods.
func MinecraftTemplate(name, image string) Template {
	return Template{Name: name, Image: image, Spec: map[string]any{
		"game": "minecraft-java",
		"ports": []any{
			map[string]any{"name": "game", "containerPort": int64(25565), "protocol": "TCP"},
			map[string]any{"name": "rcon", "containerPort": int64(25575), "protocol": "TCP"},
		},
		"rcon":     map[string]any{"port": int64(25575), "passwordEnv": "RCON_PASSWORD"},
		"versions": []any{map[string]any{"id": "default", "loader": "mods", "default": true}},
		"capabilities": map[string]any{
			"quiesce": map[string]any{"timeoutSeconds": int64(30)},
			"mods":    map[string]any{"loaders": map[string]any{"mods": map[string]any{"path": "/mods"}}},
		},
	}}
}

// Revision is one state of a template.
type Revision struct {
	TemplateDigest string // "sha256:" and 64 hex digits, over the canonical JSON of the template's spec
	Image          string // by digest
}

// InstallTemplate creates the template, and returns once the operator has seen it: a server whose template it does not
// know yet fails for good. It fails if a template of that name exists.
func (c *Client) InstallTemplate(ctx context.Context, template Template) error {
	definition, err := c.get(ctx, definitions, "gametemplates."+group)
	if err != nil {
		return err
	}
	spec := runtime.DeepCopyJSON(template.Spec)
	spec["image"] = template.Image
	if err := conform(spec, template, definition); err != nil {
		return fmt.Errorf("template %s: %w", template.Name, err)
	}
	if _, err := c.create(ctx, templates, "GameTemplate", template.Name, spec); err != nil {
		return err
	}
	look := func(ctx context.Context) (bool, string, error) {
		object, err := c.get(ctx, templates, template.Name)
		if err != nil {
			return false, "", err
		}
		observed, _, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		return observed >= object.GetGeneration(), fmt.Sprintf("generation %d of %d", observed, object.GetGeneration()), err
	}
	return c.await(ctx, "operator to see template "+template.Name, look, subject{templates, template.Name})
}

// InstallRevision gives the template another image, and returns once the operator has recorded the revision. Servers
// can then adopt it, also after later revisions. Servers that adopt on request do not change. One client installs one
// revision at a time.
//
// An operator without revisions records none. InstallRevision then leaves the template alone, since a change would roll
// every server, and returns the digest that the changed template would have.
func (c *Client) InstallRevision(ctx context.Context, template, image string) (Revision, error) {
	c.installing.Lock()
	defer c.installing.Unlock()
	features, err := c.Features(ctx)
	if err != nil {
		return Revision{}, err
	}
	if !features.Revisions || !c.byRequest(features) {
		return c.imagine(ctx, template, image)
	}
	if err := c.patch(ctx, templates, template, map[string]any{"spec.image": image}); err != nil {
		return Revision{}, err
	}
	var revision Revision
	look := func(ctx context.Context) (bool, string, error) {
		object, err := c.get(ctx, templates, template)
		if err != nil {
			return false, "", err
		}
		observed, _, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		if err != nil {
			return false, "", fmt.Errorf("template %s: %w", template, err)
		}
		revision = c.newest(object)
		state := fmt.Sprintf("generation %d of %d, newest revision %+v", observed, object.GetGeneration(), revision)
		return observed >= object.GetGeneration() && revision.Image == image && revision.TemplateDigest != "", state, nil
	}
	err = c.await(ctx, fmt.Sprintf("revision of template %s with image %s", template, image), look, subject{templates, template})
	return revision, err
}

func (c *Client) imagine(ctx context.Context, template, image string) (Revision, error) {
	object, err := c.get(ctx, templates, template)
	if err != nil {
		return Revision{}, err
	}
	if err := setImage(object, image); err != nil {
		return Revision{}, fmt.Errorf("template %s: %w", template, err)
	}
	digest, err := digestOf(object)
	return Revision{TemplateDigest: digest, Image: image}, err
}

// newest returns the last revision in the template's list.
func (c *Client) newest(template *unstructured.Unstructured) Revision {
	list, _, err := unstructured.NestedSlice(template.Object, path(c.settings.RevisionsField)...)
	if err != nil || len(list) == 0 {
		return Revision{}
	}
	fields, ok := list[len(list)-1].(map[string]any)
	if !ok {
		return Revision{}
	}
	digest, _ := fields["digest"].(string)
	image, _ := fields["image"].(string)
	return Revision{TemplateDigest: digest, Image: image}
}

// digestOf returns the digest of a template's spec: sha256 over its JSON with sorted keys and no white space.
func digestOf(template *unstructured.Unstructured) (string, error) {
	spec, found, err := unstructured.NestedMap(template.Object, "spec")
	if err != nil {
		return "", fmt.Errorf("template %s: %w", template.GetName(), err)
	}
	if !found {
		return "", fmt.Errorf("template %s has no spec", template.GetName())
	}
	canonical, err := json.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("template %s: %w", template.GetName(), err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
