package adapter

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/fixtures/operator/v1alpha1"
)

// Every field that the template of a Minecraft server has is one that the operator knows: a misspelt one would be
// dropped by the API server without a word.
func TestMinecraftTemplateIsKnown(t *testing.T) {
	t.Parallel()
	template := MinecraftTemplate("mc", "game@sha256:a")
	var spec v1alpha1.GameTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(template.Spec, &spec, true); err != nil {
		t.Error(err)
	}
}
