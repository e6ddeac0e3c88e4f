package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/GameplanePanel/rehearsal/fixtures/games"
	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ownerNamespace is where the server of TestOwnUpdate runs: to the command, somebody else made it.
const ownerNamespace = "owner"

// TestOwnUpdate does what a server's owner does: with the command alone, in an empty directory, on a cluster where the
// server and its Backup are. It leaves the server and the cluster as they were, also when it is killed.
func TestOwnUpdate(t *testing.T) {
	on := onStage(t)
	if _, err := on.Fleet(suiteContext, ownerNamespace); err != nil {
		t.Fatal(err)
	}
	owner := newOwner(t)
	owner.command(t, 0, "keys", "generate", "--out", "signer")
	owner.command(t, 0, "config", "lint", "update.yaml")
	owner.command(t, 0, "run", "--config", "update.yaml", "--dry-run")
	listed, tree, pod := owner.listing(t), owner.trees(t), podOf(t, ownerNamespace, "fleet-a")
	if diff := cmp.Diff(listed, owner.listing(t)); diff != "" {
		t.Errorf("the dry run made objects (-before +after):\n%s", diff)
	}

	t.Run("whole", func(t *testing.T) {
		printed := owner.command(t, 0, "run", "--config", "update.yaml")
		for _, want := range []string{
			"promotable; going back is safe", "PROMOTE  ", "bad-image/http-only", "blocked/join-failed", "blocked/image-pull",
		} {
			if !strings.Contains(printed, want) {
				t.Errorf("the run did not print %q:\n%s", want, printed)
			}
		}
		runs, err := filepath.Glob(filepath.Join(owner.dir, "runs", "*"))
		if err != nil || len(runs) != 1 {
			t.Fatalf("runs: %q, %v", runs, err)
		}
		owner.command(t, 0, "verify", runs[0], "--key", "signer.pub")
		owner.command(t, 0, "gate", runs[0], "--key", "signer.pub", "--policy", "policy.yaml", "--candidate", owner.candidate)
		owner.same(t, listed)
	})
	t.Run("killed", func(t *testing.T) {
		for range 2 {
			owner.kill(t, time.Duration(10+rand.IntN(60))*time.Second)
			owner.command(t, 0, "cleanup", "--config", "update.yaml")
			owner.same(t, listed)
		}
	})
	if after := podOf(t, ownerNamespace, "fleet-a"); after != pod {
		t.Errorf("the server's pod is %s, was %s", after, pod)
	}
	if diff := cmp.Diff(tree, owner.trees(t)); diff != "" {
		t.Errorf("the server's claims (-before +after):\n%s", diff)
	}
}

// owner is somebody with the command, a directory and a cluster.
type owner struct {
	program, dir, candidate string
}

func newOwner(t *testing.T) owner {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "bin", "rehearsal")
	// As go install builds it: for the machine, perhaps dynamically.
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/rehearsal")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	on := onStage(t)
	pull, push := on.Registry()
	candidate := on.Image(games.NewBuild).Ref
	work := filepath.Join(dir, "work")
	for name, text := range map[string]string{
		"policy.yaml": "version: rehearsal/policy/v1\narchitectures: [" + on.Environment().Architecture + "]\n" +
			"scenarios: [update, bad-image/unpullable, bad-image/http-only]\nopenEgress: true\nfixtures: true\n",
		"update.yaml": fmt.Sprintf(`version: rehearsal/config/v1
cluster: {kubeconfig: %s, namespace: %s}
server: {name: fleet-a}
candidates: [{name: new build, image: %s}]
seed: {backup: before-update}
images: {registry: %s/own, push: %s/own, insecure: true}
policy: policy.yaml
key: signer.key
`, on.Kubeconfig(), ownerNamespace, candidate, pull, push),
	} {
		if err := os.MkdirAll(work, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return owner{program, work, statement.ImageDigest(candidate)}
}

// command runs the command in the owner's directory and returns what it printed.
func (o owner) command(t *testing.T, code int, args ...string) string {
	t.Helper()
	command := exec.CommandContext(suiteContext, o.program, args...)
	command.Dir = o.dir
	command.Env = append(os.Environ(), "KUBECONFIG=/nowhere") // it is not asked for
	out, err := command.CombinedOutput()
	if got := command.ProcessState.ExitCode(); got != code {
		t.Fatalf("rehearsal %s: exit code %d, want %d: %v\n%s", strings.Join(args, " "), got, code, err, out)
	}
	return string(out)
}

// kill ends a run after a time in the hardest way.
func (o owner) kill(t *testing.T, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(suiteContext, after)
	defer cancel()
	command := exec.CommandContext(ctx, o.program, "run", "--config", "update.yaml")
	command.Dir = o.dir
	out, err := command.CombinedOutput()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatalf("the run ended before it was killed after %s: %v\n%s", after, err, out)
	}
	t.Logf("killed after %s", after)
}

// same wants the cluster to hold what it held before.
func (o owner) same(t *testing.T, before []string) {
	t.Helper()
	if diff := cmp.Diff(before, o.listing(t)); diff != "" {
		t.Errorf("objects of the cluster (-before +after):\n%s", diff)
	}
}

// listing names every object in the owner's namespace, and those of the cluster that a tool could leave behind.
func (o owner) listing(t *testing.T) []string {
	t.Helper()
	client, err := dynamic.NewForConfig(onStage(t).REST())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	list := func(api dynamic.ResourceInterface, resource string) {
		found, err := api.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range found.Items {
			names = append(names, fmt.Sprintf("%s/%s %s", resource, item.GetName(), item.GetUID()))
		}
	}
	for _, of := range []struct{ group, version, resources string }{
		{"", "v1", "pods services secrets configmaps persistentvolumeclaims serviceaccounts"},
		{"apps", "v1", "deployments statefulsets replicasets"},
		{"batch", "v1", "jobs"},
		{"rbac.authorization.k8s.io", "v1", "roles rolebindings"},
		{"networking.k8s.io", "v1", "networkpolicies ingresses"},
		{"gameplane.local", "v1alpha1", "gameservers backups restores"},
	} {
		for resource := range strings.FieldsSeq(of.resources) {
			list(client.Resource(schema.GroupVersionResource{Group: of.group, Version: of.version, Resource: resource}).Namespace(ownerNamespace), resource)
		}
	}
	for _, of := range []struct{ group, version, resources string }{
		{"rbac.authorization.k8s.io", "v1", "clusterroles clusterrolebindings"},
		{"gameplane.local", "v1alpha1", "gametemplates"},
		{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
	} {
		for resource := range strings.FieldsSeq(of.resources) {
			list(client.Resource(schema.GroupVersionResource{Group: of.group, Version: of.version, Resource: resource}), resource)
		}
	}
	slices.Sort(names)
	return names
}

// trees are the digests of what the server's claims hold, read by a pod that is gone afterwards.
func (o owner) trees(t *testing.T) map[string]string {
	t.Helper()
	on := onStage(t)
	operator, err := adapter.New(on.REST(), ownerNamespace, adapter.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := operator.Claims(t.Context(), "fleet-a")
	if err != nil {
		t.Fatal(err)
	}
	var claims []statement.Claim
	for _, ref := range refs {
		claims = append(claims, statement.Claim{Role: ref.Role, Name: ref.Name})
	}
	witness := &evidence.Witness{Config: on.REST(), Client: on.Client(), Namespace: ownerNamespace, Image: on.WitnessImage()}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, _, err := witness.Claims(ctx, "look-"+fmt.Sprint(rand.Uint32()), claims); err != nil {
		t.Fatal(err)
	}
	trees := map[string]string{}
	for _, claim := range claims {
		trees[claim.Name] = claim.Tree
	}
	return trees
}

func podOf(t *testing.T, namespace, server string) string {
	t.Helper()
	pod, err := onStage(t).Client().CoreV1().Pods(namespace).Get(t.Context(), server+"-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(pod.UID)
}
