package adapter

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/GameplanePanel/rehearsal/harness/crdschema"
)

// reference returns the CRDs of the reference operator.
func reference(t *testing.T) []runtime.Object {
	t.Helper()
	names, err := filepath.Glob("../../fixtures/config/crd/*.yaml")
	if err != nil || len(names) != 4 {
		t.Fatalf("CRDs of the reference operator: %v %v", names, err)
	}
	var all []runtime.Object
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(content, &crd.Object); err != nil {
			t.Fatal(err)
		}
		all = append(all, crd)
	}
	return all
}

// without removes fields from every schema, to imitate an older operator.
func without(t *testing.T, crds []runtime.Object, fields ...string) []runtime.Object {
	t.Helper()
	for _, crd := range crds {
		versions, _, err := unstructured.NestedSlice(crd.(*unstructured.Unstructured).Object, "spec", "versions")
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			fieldPath := append([]string{"schema", "openAPIV3Schema"}, crdschema.Properties(field)...)
			unstructured.RemoveNestedField(versions[0].(map[string]any), fieldPath...)
		}
		if err := unstructured.SetNestedSlice(crd.(*unstructured.Unstructured).Object, versions, "spec", "versions"); err != nil {
			t.Fatal(err)
		}
	}
	return crds
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	all := []string{"backup-revision", "extra-claims", "on-request", "pending", "revisions"}
	for name, tc := range map[string]struct {
		crds     []runtime.Object
		settings Settings
		names    []string
		adoption string
	}{
		"reference operator": {reference(t), Settings{}, all, "OnRequest"},
		"operator without adoption on request": {
			without(t, reference(t), "spec.templateUpdatePolicy", "spec.templateRevision", "status.pendingRevision", "status.revisions", "status.claims", "status.revision"),
			Settings{}, nil, "ImagePin",
		},
		"other field names": {
			reference(t), Settings{OnRequest: "Manual", PendingField: "status.offered"},
			[]string{"backup-revision", "extra-claims", "revisions"}, "ImagePin",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newFake(t, tc.settings, tc.crds)
			features, err := c.Features(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.names, features.Names()); diff != "" {
				t.Errorf("features (-want +got):\n%s", diff)
			}
			if adoption := c.Adoption(features); adoption != tc.adoption {
				t.Errorf("adoption by %s, want %s", adoption, tc.adoption)
			}
		})
	}
}

func TestDefectIsAFeature(t *testing.T) {
	t.Parallel()
	crds := reference(t)
	for _, crd := range crds {
		crd.(*unstructured.Unstructured).SetAnnotations(map[string]string{
			annotationDefect: "skip-restore@" + ns + "/*,wrong-digest@elsewhere/*,adopt-everyone@*/*",
		})
	}
	c, _ := newFake(t, Settings{}, crds)
	features, err := c.Features(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"skip-restore@" + ns + "/*", "adopt-everyone@*/*"}
	if diff := cmp.Diff(want, features.Defects); diff != "" {
		t.Errorf("defects (-want +got):\n%s", diff)
	}
	if !slices.Contains(features.Names(), "defect="+want[0]) {
		t.Errorf("features %v", features.Names())
	}
}

func TestNoOperator(t *testing.T) {
	t.Parallel()
	c, _ := newFake(t, Settings{}, nil)
	if _, err := c.Features(t.Context()); !errors.Is(err, ErrNoOperator) {
		t.Errorf("Features = %v, want ErrNoOperator", err)
	}
}
