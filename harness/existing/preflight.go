package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// PreflightError lists everything that a run would lack. Nothing was made.
type PreflightError struct{ Problems []string }

func (e *PreflightError) Error() string {
	return "the cluster is not ready for a rehearsal:\n  - " + strings.Join(e.Problems, "\n  - ")
}

// Preflight checks permissions, operator, server, Backup, storage and quota, and reports all that is missing at once. It
// makes nothing but access reviews, which leave no object.
func (s *Site) Preflight(ctx context.Context) error {
	if _, err := s.client.Discovery().ServerVersion(); err != nil {
		return fmt.Errorf("the cluster does not answer: %w", err)
	}
	problems, err := s.missingPermissions(ctx)
	if err != nil {
		return err
	}
	if len(problems) == 0 { // the other checks need them
		for _, check := range []func(context.Context) ([]string, error){s.checkOperator, s.checkServer, s.checkBackup, s.checkStorage, s.checkQuota, s.checkLeftovers} {
			found, err := check(ctx)
			if err != nil {
				return err
			}
			problems = append(problems, found...)
		}
	}
	if len(problems) > 0 {
		return &PreflightError{Problems: problems}
	}
	return nil
}

// permission is a set of verbs on a resource. A resource without a namespace is cluster-wide.
type permission struct {
	group, resource, subresource string
	verbs                        []string
	clusterWide                  bool
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
	for _, p := range permissions {
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
		attributes.Namespace = s.namespace()
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
	return name + " in namespace " + namespace
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
	claims, err := operator.Claims(ctx, model.Name)
	if err != nil {
		return nil, err
	}
	var problems []string
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

func (s *Site) checkStorage(ctx context.Context) ([]string, error) {
	classes, err := s.client.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("storage classes: %w", err)
	}
	claim, err := s.client.CoreV1().PersistentVolumeClaims(s.namespace()).Get(ctx, s.config.Server.Name+"-data", metav1.GetOptions{})
	if err != nil {
		return []string{fmt.Sprintf("server.name: claim of the world: %v", err)}, nil
	}
	wanted := ""
	if claim.Spec.StorageClassName != nil {
		wanted = *claim.Spec.StorageClassName
	}
	for _, class := range classes.Items {
		if class.Name == wanted || wanted == "" && class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			return nil, nil
		}
	}
	return []string{fmt.Sprintf("storage class %q of claim %s is not there: the clone's claims would stay unbound", wanted, claim.Name)}, nil
}

// copies is how many copies of the server a run has at the same time: the member and one clone.
const copies = 2

func (s *Site) checkQuota(ctx context.Context) ([]string, error) {
	quotas, err := s.client.CoreV1().ResourceQuotas(s.namespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("quotas: %w", err)
	}
	operator, err := s.operator("preflight")
	if err != nil {
		return nil, err
	}
	model, err := operator.Model(ctx, s.config.Server.Name)
	if err != nil {
		return nil, nil // checkServer has said so
	}
	// A Restore or a reading of the claims adds a pod; the player and the repository are two more.
	needed := map[corev1.ResourceName]int64{
		corev1.ResourcePods:                   copies + 3,
		corev1.ResourcePersistentVolumeClaims: int64(copies * model.Claims),
	}
	var problems []string
	for _, quota := range quotas.Items {
		for resource, need := range needed {
			hard, limited := quota.Status.Hard[resource]
			used := quota.Status.Used[resource]
			if left := hard.Value() - used.Value(); limited && left < need {
				problems = append(problems, fmt.Sprintf("quota %s leaves %d %s, and a rehearsal needs %d", quota.Name, left, resource, need))
			}
		}
	}
	slices.Sort(problems)
	return problems, nil
}

func (s *Site) checkLeftovers(ctx context.Context) ([]string, error) {
	left, err := s.ours(ctx, "")
	if err != nil || len(left) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("an earlier run left %d objects, such as %s: remove them with rehearsal cleanup --config, or wait for a run at work", len(left), left[0])}, nil
}
