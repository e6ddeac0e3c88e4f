package existing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// PreflightError lists everything that a run would lack. Nothing was made.
type PreflightError struct{ Problems []string }

func (e *PreflightError) Error() string {
	return "the cluster is not ready for a rehearsal:\n  - " + strings.Join(e.Problems, "\n  - ")
}

// Preflight checks permissions, nodes, operator, server, Backup, network, storage and quota, and reports all that is
// missing at once. It makes nothing but access reviews, which leave no object.
func (s *Site) Preflight(ctx context.Context) error {
	if err := s.answers(ctx); err != nil {
		return err
	}
	problems, err := s.missingPermissions(ctx)
	if err != nil {
		return err
	}
	permitted := len(problems) == 0
	for _, check := range []func(context.Context) ([]string, error){
		s.checkNodes, s.checkOperator, s.checkServer, s.checkBackup, s.checkPullSecret, s.checkNetwork, s.checkStorage, s.checkQuota, s.checkLeftovers,
	} {
		found, err := check(ctx)
		if apierrors.IsForbidden(err) && !permitted { // said already
			continue
		}
		if err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		return &PreflightError{Problems: problems}
	}
	return nil
}

// answers asks the cluster for its version. The client's own call does not end with ctx.
func (s *Site) answers(ctx context.Context) error {
	answer := make(chan error, 1)
	go func() {
		_, err := s.client.Discovery().ServerVersion()
		answer <- err
	}()
	select {
	case err := <-answer:
		if err != nil {
			return &PreflightError{Problems: []string{fmt.Sprintf("it does not answer: %v", err)}}
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// permission is a set of verbs on a resource. A resource without a namespace is cluster-wide.
type permission struct {
	group, resource, subresource string
	verbs                        []string
	clusterWide                  bool
	namespace                    string // another one than the server's
}

// permissions are what a run asks the API server for.
var permissions = []permission{
	{group: "gameplane.local", resource: "gameservers", verbs: []string{"get", "list", "watch", "create", "patch", "delete"}},
	{group: "gameplane.local", resource: "backups", verbs: []string{"get", "list", "watch", "create", "delete"}},
	{group: "gameplane.local", resource: "restores", verbs: []string{"get", "list", "watch", "create", "delete"}},
	{group: "gameplane.local", resource: "gametemplates", verbs: []string{"get"}, clusterWide: true},
	{group: "apiextensions.k8s.io", resource: "customresourcedefinitions", verbs: []string{"get"}, clusterWide: true},
	{resource: "pods", verbs: []string{"get", "list", "watch", "create", "delete"}},
	{resource: "pods", subresource: "log", verbs: []string{"get"}},
	{resource: "pods", subresource: "exec", verbs: []string{"get", "create"}},
	{resource: "persistentvolumeclaims", verbs: []string{"get", "list", "watch"}},
	{resource: "secrets", verbs: []string{"get", "list", "create", "delete"}},
	{resource: "services", verbs: []string{"get", "list", "create", "delete"}},
	{group: "apps", resource: "deployments", verbs: []string{"get", "list", "watch", "create", "delete"}},
	{group: "apps", resource: "statefulsets", verbs: []string{"get", "list", "watch"}},
	{group: "networking.k8s.io", resource: "networkpolicies", verbs: []string{"get", "list", "create", "delete"}},
	{group: "discovery.k8s.io", resource: "endpointslices", verbs: []string{"list"}, clusterWide: true},
	{resource: "resourcequotas", verbs: []string{"list"}},
	{resource: "namespaces", verbs: []string{"get"}, clusterWide: true},
	{resource: "nodes", verbs: []string{"list"}, clusterWide: true},
	{group: "storage.k8s.io", resource: "storageclasses", verbs: []string{"list"}, clusterWide: true},
}

func (s *Site) missingPermissions(ctx context.Context) ([]string, error) {
	var problems []string
	operator := permission{group: "apps", resource: "deployments", verbs: []string{"get"}, namespace: s.operatorNamespace()}
	for _, p := range append(slices.Clone(permissions), operator) {
		var missing []string
		for _, verb := range p.verbs {
			allowed, err := s.allowed(ctx, p, verb)
			if err != nil {
				return nil, err
			}
			if !allowed {
				missing = append(missing, verb)
			}
		}
		if len(missing) > 0 {
			problems = append(problems, fmt.Sprintf("permission to %s %s is missing: grant it with a Role", strings.Join(missing, ", "), p.name(s.namespace())))
		}
	}
	return problems, nil
}

func (s *Site) allowed(ctx context.Context, p permission, verb string) (bool, error) {
	attributes := &authorizationv1.ResourceAttributes{Group: p.group, Resource: p.resource, Subresource: p.subresource, Verb: verb}
	if !p.clusterWide {
		attributes.Namespace = cmp.Or(p.namespace, s.namespace())
	}
	review, err := s.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
	}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for permissions: %w", err)
	}
	return review.Status.Allowed, nil
}

func (p permission) name(namespace string) string {
	name := p.resource
	if p.group != "" {
		name += "." + p.group
	}
	if p.subresource != "" {
		name += "/" + p.subresource
	}
	if p.clusterWide {
		return name + " in the cluster"
	}
	return name + " in namespace " + cmp.Or(p.namespace, namespace)
}

func (s *Site) checkOperator(ctx context.Context) ([]string, error) {
	operator, err := s.operator("preflight")
	if err != nil {
		return nil, err
	}
	if _, err := operator.Features(ctx); errors.Is(err, adapter.ErrNoOperator) {
		return []string{"Gameplane's CRDs are not installed (gameservers.gameplane.local): install the operator first"}, nil
	} else if err != nil {
		return nil, err
	}
	deployment, err := s.deployment(ctx)
	if apierrors.IsNotFound(err) {
		return []string{err.Error() + ": set operator.namespace and operator.deployment"}, nil
	}
	if err != nil {
		return nil, err
	}
	if deployment.Status.AvailableReplicas == 0 {
		return []string{fmt.Sprintf("operator %s/%s has no available pod: nothing would act on the clone", deployment.Namespace, deployment.Name)}, nil
	}
	return nil, nil
}

func (s *Site) checkServer(ctx context.Context) ([]string, error) {
	operator, err := s.operator("preflight")
	if err != nil {
		return nil, err
	}
	model, err := operator.Model(ctx, s.config.Server.Name)
	if err != nil {
		return []string{fmt.Sprintf("server.name: %v", err)}, nil
	}
	return s.checkCopy(ctx, operator, model)
}

// checkCopy finds what a copy of the server would lack, or do otherwise than the server.
func (s *Site) checkCopy(ctx context.Context, operator *adapter.Client, model *adapter.Model) ([]string, error) {
	features, err := operator.Features(ctx)
	if err != nil {
		return nil, err
	}
	patience, cancel := context.WithTimeout(ctx, claimsTime)
	defer cancel()
	claims, err := operator.Claims(patience, model.Name)
	if late, ok := errors.AsType[*await.TimeoutError](err); ok && ctx.Err() == nil {
		return []string{fmt.Sprintf("server.name: the operator has made no claim %s-data for the server: %s", model.Name, late.Last)}, nil
	}
	if err != nil {
		return nil, err
	}
	problems := s.checkBaseline(model)
	for _, claim := range claims {
		if claim.Role == statement.Extra && !features.ExtraClaims {
			problems = append(problems, fmt.Sprintf("claim %s is not in this operator's backups: a copy would come back without it, so nothing can be said of an update", claim.Name))
		}
	}
	if game := model.Game(); slices.Contains(s.config.Controls, statement.ScenarioHTTPOnly) && len(game.Command) > 0 {
		problems = append(problems, fmt.Sprintf("the template of %s sets a command, which the control bad-image/http-only does not have: leave it out of controls", model.Name))
	}
	return problems, nil
}

// claimsTime is enough for an operator at work: the server runs, so its claims are there.
const claimsTime = 10 * time.Second

// checkBaseline compares the configured baseline with what the server runs. A tag is compared once it is resolved.
func (s *Site) checkBaseline(model *adapter.Model) []string {
	digest := statement.ImageDigest(s.config.Baseline.Image)
	if digest == "" || digest == statement.ImageDigest(model.Image) {
		return nil
	}
	return []string{fmt.Sprintf("baseline.image: %s runs %s: give that image, or leave the key out", model.Name, model.Image)}
}

func (s *Site) checkBackup(ctx context.Context) ([]string, error) {
	name := s.config.Seed.Backup
	backup, err := s.objects.Resource(backups).Namespace(s.namespace()).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return []string{fmt.Sprintf("seed.backup: there is no Backup %s in namespace %s", name, s.namespace())}, nil
	}
	if err != nil {
		return nil, err
	}
	field := func(path ...string) string {
		value, _, _ := unstructured.NestedString(backup.Object, path...)
		return value
	}
	switch server, phase := field("spec", "serverRef", "name"), field("status", "phase"); {
	case server != s.config.Server.Name:
		return []string{fmt.Sprintf("seed.backup: Backup %s is of server %s, not of %s", name, server, s.config.Server.Name)}, nil
	case phase != "Succeeded":
		return []string{fmt.Sprintf("seed.backup: Backup %s is %s, not Succeeded: %s", name, phase, field("status", "message"))}, nil
	case field("status", "snapshotID") == "":
		return []string{fmt.Sprintf("seed.backup: Backup %s names no restic snapshot", name)}, nil
	}
	return nil, nil
}

func (s *Site) checkLeftovers(ctx context.Context) ([]string, error) {
	left, err := s.ours(ctx, "")
	if err != nil || len(left) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("an earlier run left %d objects, such as %s: remove them with rehearsal cleanup --config, or wait for a run at work", len(left), left[0])}, nil
}
