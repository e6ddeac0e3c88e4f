package gameplane

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/GameplanePanel/rehearsal/harness/manifests"
)

//go:embed manifests/*.yaml
var files embed.FS

const (
	// Namespace is the operator's namespace.
	Namespace = "gameplane-system"

	operatorName = "gameplane-operator"
	gamesRole    = "rehearsal-gameplane-games"
)

// Options say what Install installs.
type Options struct {
	// Source is the source tree, for its CRDs.
	Source string
	// Operator, Agent and Restic are images by digest. Restic has restic as its entrypoint and in its PATH, and /bin/sh.
	Operator, Agent, Restic string
}

// Install installs the operator in a cluster that has none, and returns once its CRDs are served and its Deployment has
// rolled out. Call Bind for each namespace with game servers.
func Install(ctx context.Context, config *rest.Config, options Options) error {
	definitions, err := definitions(options.Source)
	if err != nil {
		return err
	}
	others, err := objects(options, time.Now())
	if err != nil {
		return err
	}
	return manifests.Install(ctx, config, definitions, others)
}

// definitions reads the CRDs of a source tree. Their files are named after their group; the directory also holds files for
// other tools.
func definitions(src string) ([]*unstructured.Unstructured, error) {
	if err := Check(src); err != nil {
		return nil, err
	}
	found, err := manifests.Load(os.DirFS(filepath.Join(src, filepath.FromSlash(crds))), "gameplane.local_*.yaml")
	if err != nil {
		return nil, fmt.Errorf("CRDs in %s: %w", src, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no CRD in %s: %w", src, crds, ErrSource)
	}
	return found, nil
}

// objects returns everything but the CRDs. The Deployment comes last: its pod mounts the Secrets.
func objects(options Options, now time.Time) ([]*unstructured.Unstructured, error) {
	err := manifests.CheckImages(map[string]string{"operator": options.Operator, "agent": options.Agent, "restic": options.Restic})
	if err != nil {
		return nil, err
	}
	all, err := manifests.Load(files, "manifests/operator.yaml")
	if err != nil {
		return nil, err
	}
	secrets, err := secrets(now)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	workload, err := manifests.Load(files, "manifests/workload.yaml")
	if err != nil {
		return nil, err
	}
	if err := manifests.Fill(workload[0], options.Operator, options.args()); err != nil {
		return nil, fmt.Errorf("deployment of the operator: %w", err)
	}
	return append(append(all, secrets...), workload...), nil
}

// args are the operator's. Without the three paths for TLS it would take backups of a game that goes on saving.
func (o Options) args() []string {
	return []string{
		"--agent-image=" + o.Agent,
		"--agent-image-pull-policy=IfNotPresent",
		"--restic-image=" + o.Restic,
		"--agent-ca-secret-name=" + caSecret,
		"--agent-ca-secret-namespace=" + Namespace,
		"--module-namespace=" + Namespace,
		"--agent-ca-bundle=/etc/gameplane/agent-ca/" + caCertificate,
		"--agent-client-cert=/etc/gameplane/agent-client/tls.crt",
		"--agent-client-key=/etc/gameplane/agent-client/tls.key",
		"--game-ingress-policy=false", // it would cut the operator off from the agents
		"--zap-log-level=info",
	}
}

// Bind lets the operator work in a namespace. Call it before the first GameServer is created there: the operator sets no
// status on a server that it may not manage.
func Bind(ctx context.Context, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err := client.RbacV1().RoleBindings(namespace).Create(ctx, binding(namespace), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("let gameplane's operator work in namespace %s: %w", namespace, err)
	}
	return nil
}

func binding(namespace string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{
			Name: gamesRole, Namespace: namespace,
			Labels: map[string]string{manifests.LabelOwner: manifests.Owner},
		},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: gamesRole},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: operatorName, Namespace: Namespace}},
	}
}
