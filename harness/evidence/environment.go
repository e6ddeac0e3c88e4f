package evidence

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Environment describes the cluster of a rehearsal: architecture, version and identity. The caller adds the node's
// image, whether its processor is emulated, and the egress: without egress data a gate treats the cluster as open. A
// cluster with nodes of two architectures is an error.
func Environment(ctx context.Context, client kubernetes.Interface) (statement.Environment, error) {
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return statement.Environment{}, fmt.Errorf("version of the cluster: %w", err)
	}
	system, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return statement.Environment{}, fmt.Errorf("identity of the cluster: %w", err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return statement.Environment{}, fmt.Errorf("nodes of the cluster: %w", err)
	}
	architecture, err := architectureOf(nodes.Items)
	if err != nil {
		return statement.Environment{}, err
	}
	return statement.Environment{
		Architecture: architecture,
		Kubernetes:   version.GitVersion,
		ClusterUID:   string(system.UID),
	}, nil
}

// architectureOf returns the architecture of all nodes. A receipt speaks of one.
func architectureOf(nodes []corev1.Node) (string, error) {
	if len(nodes) == 0 {
		return "", errors.New("the cluster has no node")
	}
	first := nodes[0].Status.NodeInfo.Architecture
	for _, node := range nodes {
		if other := node.Status.NodeInfo.Architecture; other != first {
			return "", fmt.Errorf("the cluster has nodes of %s and %s: a receipt speaks of one architecture", first, other)
		}
	}
	return first, nil
}
