package stage

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/cluster"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// describe returns the environment of the rehearsals as the cluster reports it.
func (s *Stage) describe(ctx context.Context) (statement.Environment, error) {
	environment, err := evidence.Environment(ctx, s.client)
	if err != nil {
		return statement.Environment{}, err
	}
	environment.Emulated = s.cluster.Emulated()
	environment.NodeImage = s.cluster.NodeImage()
	environment.Egress = egress(s.cluster.Egress())
	environment.Restic = s.images.programs[resticRepo]
	return environment, nil
}

// operator describes the operator: the image that runs, and its features in the client's namespace.
func (s *Stage) operator(ctx context.Context, client *adapter.Client) (statement.Operator, error) {
	features, err := client.Features(ctx)
	if err != nil {
		return statement.Operator{}, fmt.Errorf("features of the operator: %w", err)
	}
	pods, err := s.client.CoreV1().Pods(operatorNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return statement.Operator{}, fmt.Errorf("pod of the operator: %w", err)
	}
	if len(pods.Items) != 1 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		return statement.Operator{}, fmt.Errorf("namespace %s holds %d pods, not the operator's alone", operatorNamespace, len(pods.Items))
	}
	return statement.Operator{
		Name:     s.config.Operator.name(),
		Image:    pods.Items[0].Status.ContainerStatuses[0].ImageID,
		Adoption: client.Adoption(features),
		Features: features.Names(),
	}, nil
}

func egress(observed cluster.Egress) string {
	if observed.Open {
		return statement.EgressOpen
	}
	return statement.EgressClosed
}
