package evidence

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Environment describes the cluster of a rehearsal: architecture, version and identity. The caller adds the node's
// image, whether its processor is emulated, and the egress: without egress data a gate treats the cluster as open. A
// cluster with more than one node is an error, because claims could not be read while the game runs.
func Environment(ctx context.Context, client kubernetes.Interface) (statement.Environment, error) {
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return statement.Environment{}, fmt.Errorf("version of the cluster: %w", err)
	}
	system, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return statement.Environment{}, fmt.Errorf("identity of the cluster: %w", err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil {
		return statement.Environment{}, fmt.Errorf("nodes of the cluster: %w", err)
	}
	if n := len(nodes.Items); n != 1 {
		return statement.Environment{}, fmt.Errorf("the cluster has %d nodes or more, not one: on several nodes claims cannot be read while the game runs", n)
	}
	return statement.Environment{
		Architecture: nodes.Items[0].Status.NodeInfo.Architecture,
		Kubernetes:   version.GitVersion,
		ClusterUID:   string(system.UID),
	}, nil
}
