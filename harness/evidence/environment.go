package evidence

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Environment says what a cluster itself tells of where rehearsals take place: architecture, version and identity. It
// does not know the node's image, whether its processor is emulated, and whether anything can reach out: without a word
// on egress a gate takes the cluster for an open one. A cluster of more than one node is an error: claims could not be
// read beside a running game.
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
		return statement.Environment{}, fmt.Errorf("the cluster has %d nodes or more, not one: claims could not be read beside a running game", n)
	}
	return statement.Environment{
		Architecture: nodes.Items[0].Status.NodeInfo.Architecture,
		Kubernetes:   version.GitVersion,
		ClusterUID:   string(system.UID),
	}, nil
}
