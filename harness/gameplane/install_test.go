package gameplane

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/GameplanePanel/rehearsal/harness/manifests"
)

const digest = "@sha256:0000000000000000000000000000000000000000000000000000000000000000"

func options() Options {
	return Options{Operator: "operator" + digest, Agent: "agent" + digest, Restic: "restic" + digest}
}

func mustObjects(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	all, err := objects(options(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// find returns an object in its type, and fails where a field is not of that type.
func find[T any](t *testing.T, all []*unstructured.Unstructured, kind, name string) *T {
	t.Helper()
	for _, object := range all {
		if object.GetKind() != kind || object.GetName() != name {
			continue
		}
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
			t.Fatal(err)
		}
		return typed
	}
	t.Fatalf("no %s %s", kind, name)
	return nil
}

func TestObjects(t *testing.T) {
	t.Parallel()
	var kinds []string
	for _, object := range mustObjects(t) {
		kinds = append(kinds, object.GetKind()+" "+object.GetName())
		if object.GetLabels()[manifests.LabelOwner] != manifests.Owner {
			t.Errorf("%s %s has labels %v", object.GetKind(), object.GetName(), object.GetLabels())
		}
		if namespace := object.GetNamespace(); namespace != "" && namespace != Namespace {
			t.Errorf("%s %s is in namespace %s", object.GetKind(), object.GetName(), namespace)
		}
	}
	want := []string{
		"Namespace gameplane-system",
		"ServiceAccount gameplane-operator",
		"ClusterRole rehearsal-gameplane-operator",
		"ClusterRoleBinding rehearsal-gameplane-operator",
		"ClusterRole rehearsal-gameplane-games",
		"Secret gameplane-agent-ca",
		"Secret gameplane-agent-client",
		"Deployment gameplane-operator",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestMountsMatchArguments: the operator stops at its start where a file that an argument names does not exist.
func TestMountsMatchArguments(t *testing.T) {
	t.Parallel()
	all := mustObjects(t)
	pod := find[appsv1.Deployment](t, all, "Deployment", operatorName).Spec.Template.Spec
	operator := pod.Containers[0]
	if operator.Image != options().Operator {
		t.Errorf("image %s", operator.Image)
	}
	mounted := map[string]bool{}
	for i, mount := range operator.VolumeMounts {
		source := pod.Volumes[i].Secret
		if mount.Name != pod.Volumes[i].Name || !mount.ReadOnly {
			t.Errorf("mount %+v of volume %s", mount, pod.Volumes[i].Name)
		}
		for key := range find[corev1.Secret](t, all, "Secret", source.SecretName).Data {
			if source.Items == nil || slices.ContainsFunc(source.Items, func(i corev1.KeyToPath) bool { return i.Key == key }) {
				mounted[mount.MountPath+"/"+key] = true
			}
		}
	}
	for _, arg := range operator.Args {
		_, path, _ := strings.Cut(arg, "=")
		if strings.HasPrefix(path, "/") && !mounted[path] {
			t.Errorf("%s is not mounted: %v", arg, mounted)
		}
	}
	if mounted["/etc/gameplane/agent-ca/"+caKey] {
		t.Error("the CA's key is mounted")
	}
}

func TestBindingNamesWhatIsInstalled(t *testing.T) {
	t.Parallel()
	all := mustObjects(t)
	made := binding("games")
	find[rbacv1.ClusterRole](t, all, made.RoleRef.Kind, made.RoleRef.Name)
	account := find[corev1.ServiceAccount](t, all, made.Subjects[0].Kind, made.Subjects[0].Name)
	if made.Namespace != "games" || account.Namespace != made.Subjects[0].Namespace {
		t.Errorf("%s %s in namespace %s", made.Namespace, made.Subjects[0].Namespace, account.Namespace)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now()
	all, err := secrets(now)
	if err != nil {
		t.Fatal(err)
	}
	authority := find[corev1.Secret](t, all, "Secret", caSecret)
	client := find[corev1.Secret](t, all, "Secret", clientSecret)
	if _, err := tls.X509KeyPair(authority.Data[caCertificate], authority.Data[caKey]); err != nil {
		t.Errorf("CA: %v", err)
	}
	pair, err := tls.X509KeyPair(client.Data[corev1.TLSCertKey], client.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority.Data[caCertificate]) {
		t.Fatal("the CA's certificate is no PEM")
	}
	for usage, want := range map[x509.ExtKeyUsage]bool{x509.ExtKeyUsageClientAuth: true, x509.ExtKeyUsageServerAuth: false} {
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: pool, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}})
		if (err == nil) != want {
			t.Errorf("usage %v: %v", usage, err)
		}
	}
}

func TestTagsAreRefused(t *testing.T) {
	t.Parallel()
	o := options()
	o.Agent = "agent:latest"
	if _, err := objects(o, time.Now()); err == nil || !strings.Contains(err.Error(), "agent:latest") {
		t.Errorf("objects: %v", err)
	}
}

// tree writes the parts of a source tree, except one.
func tree(t *testing.T, without string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range parts {
		if part == without {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, part), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	if err := Check(tree(t, "")); err != nil {
		t.Errorf("complete: %v", err)
	}
	for _, part := range parts {
		err := Check(tree(t, part))
		if !errors.Is(err, ErrSource) || !strings.Contains(err.Error(), "has no "+part) || !strings.Contains(err.Error(), Repository) {
			t.Errorf("without %s: %v", part, err)
		}
	}
	if _, err := Build(t.Context(), tree(t, "agent/cmd"), "amd64"); !errors.Is(err, ErrSource) {
		t.Errorf("build: %v", err)
	}
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	dir := tree(t, "")
	if _, err := definitions(dir); !errors.Is(err, ErrSource) {
		t.Errorf("without CRDs: %v", err)
	}
	for name, text := range map[string]string{
		"gameplane.local_games.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: games.gameplane.local}\n",
		"kustomization.yaml":         "resources: [gameplane.local_games.yaml]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, crds, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := definitions(dir)
	if err != nil || len(found) != 1 || found[0].GetName() != "games.gameplane.local" {
		t.Errorf("definitions = %v, %v", found, err)
	}
}
