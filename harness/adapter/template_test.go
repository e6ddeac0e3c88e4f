package adapter

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/fixtures/operator/v1alpha1"
)

// TestMinecraftTemplateIsKnown: the operator's schema knows every field of the Minecraft template. The API server would
// drop a misspelt one silently.
func TestMinecraftTemplateIsKnown(t *testing.T) {
	t.Parallel()
	template := MinecraftTemplate("mc", "game@sha256:a")
	var spec v1alpha1.GameTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(template.Spec, &spec, true); err != nil {
		t.Error(err)
	}
}
