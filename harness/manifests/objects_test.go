package manifests

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.gameplane.local
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: operator
  namespace: system
spec:
  template:
    spec:
      containers:
      - name: operator
        image: other
`

func load(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestLoad(t *testing.T) {
	t.Parallel()
	objects := load(t, crd+"---\n# empty\n---\n"+deployment)
	if len(objects) != 2 {
		t.Fatalf("%d objects, want 2", len(objects))
	}
	for _, object := range objects {
		if object.GetLabels()[LabelOwner] != Owner {
			t.Errorf("%s has labels %v", object.GetName(), object.GetLabels())
		}
	}
	_, err := Load(fstest.MapFS{"bad.yaml": {Data: []byte("kind: [")}}, "*.yaml")
	if err == nil || !strings.Contains(err.Error(), "bad.yaml") {
		t.Errorf("the error does not name the file: %v", err)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	object := load(t, deployment)[0]
	if err := Fill(object, "image", []string{"--a", "--b"}); err != nil {
		t.Fatal(err)
	}
	containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	if err != nil {
		t.Fatal(err)
	}
	want := []any{map[string]any{"name": "operator", "image": "image", "args": []any{"--a", "--b"}}}
	if diff := cmp.Diff(want, containers); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	if err := Fill(load(t, crd)[0], "image", nil); err == nil {
		t.Error("an object without a container was filled")
	}
}

func TestUnknownKindIsRefused(t *testing.T) {
	t.Parallel()
	object := load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")[0]
	if err := apply(t.Context(), newFake(), []*unstructured.Unstructured{object}); err == nil || !strings.Contains(err.Error(), "ConfigMap a") {
		t.Errorf("apply: %v", err)
	}
}
