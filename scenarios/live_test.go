package scenarios

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// claimInCluster returns the UID that the API server has for a claim of the case's clone.
func claimInCluster(t *testing.T, c Case, role string) string {
	t.Helper()
	clone := rehearse.Update{Scenario: c.Scenario}.Clone()
	name := map[string]string{
		statement.Primary: clone + "-data",
		statement.Extra:   clone + "-extra-world",
		statement.Mods:    clone + "-mods-default",
	}[role]
	claim, err := onStage(t).Client().CoreV1().PersistentVolumeClaims(fleetNamespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(claim.UID)
}

func podInCluster(t *testing.T, server string) string {
	t.Helper()
	pod, err := onStage(t).Client().CoreV1().Pods(fleetNamespace).Get(t.Context(), server+"-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(pod.UID)
}

func restoreInCluster(t *testing.T, name string) string {
	t.Helper()
	client, err := dynamic.NewForConfig(onStage(t).REST())
	if err != nil {
		t.Fatal(err)
	}
	restores := client.Resource(schema.GroupVersionResource{Group: "gameplane.local", Version: "v1alpha1", Resource: "restores"})
	restore, err := restores.Namespace(fleetNamespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(restore.GetUID())
}
