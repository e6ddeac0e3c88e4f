package existing

import (
	"cmp"
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Defaults of the operator's names.
const (
	defaultOperatorNamespace  = "gameplane-system"
	defaultOperatorDeployment = "gameplane-operator"
)

// environment describes the cluster and the operator, as receipts record them.
func (s *Site) environment(ctx context.Context, operator *adapter.Client) (statement.Environment, error) {
	environment, err := evidence.Environment(ctx, s.client)
	if err != nil {
		return statement.Environment{}, err
	}
	environment.Egress = statement.EgressOpen // nothing here shows that the cluster is closed
	features, err := operator.Features(ctx)
	if err != nil {
		return statement.Environment{}, err
	}
	deployment, err := s.deployment(ctx)
	if err != nil {
		return statement.Environment{}, err
	}
	environment.Operator = statement.Operator{
		Name:     deployment.Name,
		Image:    deployment.Spec.Template.Spec.Containers[0].Image,
		Adoption: operator.Adoption(features),
		Features: features.Names(),
	}
	return environment, nil
}

func (s *Site) operatorNamespace() string {
	return cmp.Or(s.config.Operator.Namespace, defaultOperatorNamespace)
}

// deployment is the operator's.
func (s *Site) deployment(ctx context.Context) (*appsv1.Deployment, error) {
	namespace := s.operatorNamespace()
	name := cmp.Or(s.config.Operator.Deployment, defaultOperatorDeployment)
	deployment, err := s.client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("operator %s/%s: %w", namespace, name, err)
	}
	return deployment, nil
}
