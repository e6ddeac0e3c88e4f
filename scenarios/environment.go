package scenarios

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/fixtures/config"
	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/receipts"
)

// describe says where the rehearsals take place, as the cluster itself reports it.
func (s *Stage) describe(ctx context.Context) (receipts.Environment, error) {
	version, err := s.client.Discovery().ServerVersion()
	if err != nil {
		return receipts.Environment{}, fmt.Errorf("version of the cluster: %w", err)
	}
	system, err := s.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return receipts.Environment{}, fmt.Errorf("identity of the cluster: %w", err)
	}
	nodes, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return receipts.Environment{}, fmt.Errorf("nodes of the cluster: %w", err)
	}
	if len(nodes.Items) != 1 {
		return receipts.Environment{}, fmt.Errorf("the cluster has %d nodes, not one: claims could not be read beside a running game", len(nodes.Items))
	}
	return receipts.Environment{
		Architecture: nodes.Items[0].Status.NodeInfo.Architecture,
		Emulated:     s.cluster.Emulated(),
		Kubernetes:   version.GitVersion,
		NodeImage:    s.cluster.NodeImage(),
		ClusterUID:   string(system.UID),
		Egress:       egress(s.cluster.Egress()),
		Restic:       s.images.programs[resticRepo],
	}, nil
}

// operator says what was found of the operator: the image that runs, and what it can do in a client's namespace.
func (s *Stage) operator(ctx context.Context, client *adapter.Client) (receipts.Operator, error) {
	features, err := client.Features(ctx)
	if err != nil {
		return receipts.Operator{}, fmt.Errorf("features of the operator: %w", err)
	}
	pods, err := s.client.CoreV1().Pods(config.DefaultNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return receipts.Operator{}, fmt.Errorf("pod of the operator: %w", err)
	}
	if len(pods.Items) != 1 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		return receipts.Operator{}, fmt.Errorf("namespace %s holds %d pods, not the operator's alone", config.DefaultNamespace, len(pods.Items))
	}
	return receipts.Operator{
		Name:     "reference",
		Image:    pods.Items[0].Status.ContainerStatuses[0].ImageID,
		Adoption: features.Adoption(),
		Features: features.Names(),
	}, nil
}

func egress(seen cluster.Egress) string {
	if seen.Open {
		return receipts.EgressOpen
	}
	return receipts.EgressClosed
}
