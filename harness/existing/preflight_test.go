package existing

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
)

const digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func serverPod() *corev1.Pod {
	list := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "survival-0", Namespace: ns, Labels: map[string]string{
			"app.kubernetes.io/name": "gameplane-game", "app.kubernetes.io/instance": "survival",
		}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: adapter.GameContainer, Resources: corev1.ResourceRequirements{Requests: list("1500m", "4Gi"), Limits: list("2", "4Gi")},
			}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "survival-data"},
			}}},
		},
	}
}

// siteAt is a site of an API server.
func siteAt(t *testing.T, url string) *Site {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: url})
	if err != nil {
		t.Fatal(err)
	}
	site := newSite()
	site.client = client
	return site
}

func forbid(resource string) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetResource().Resource == "deployments" && action.GetNamespace() == ns {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("no Role"))
	}
}

func serverClaim() *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "survival-data", Namespace: ns},
		Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
		}},
	}
}

func node(architecture string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: architecture},
		Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{Architecture: architecture}},
	}
}

func system() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: "cluster"}}
}

// TestPreflightNamesAllAtOnce: a missing permission hides no other problem, except those that it is needed to find.
func TestPreflightNamesAllAtOnce(t *testing.T) {
	t.Parallel()
	nothing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nothing.Close)
	site, _ := withObjects(t)
	site.rest = &rest.Config{Host: nothing.URL}
	site.config.Seed.Backup, site.config.Images.PullSecret = "nightly", "pull"
	client := fake.NewClientset(node(goruntime.GOARCH), system(), serverClaim())
	site.client = client
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview)
		asked := review.Spec.ResourceAttributes
		review.Status.Allowed = asked.Resource != "nodes" && (asked.Resource != "deployments" || asked.Namespace == ns)
		return true, review, nil
	})
	client.PrependReactor("list", "nodes", forbid("nodes"))
	client.PrependReactor("get", "deployments", forbid("deployments"))
	err := site.Preflight(t.Context())
	preflight, ok := errors.AsType[*PreflightError](err)
	if !ok {
		t.Fatalf("Preflight = %v", err)
	}
	for _, want := range []string{
		"permission to list nodes in the cluster", "permission to get deployments.apps in namespace gameplane-system", "CRDs are not installed",
		"server.name: ", "there is no Backup nightly", "there is no Secret pull", "storage class",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("preflight says nothing of %q: %v", want, preflight)
		}
	}
}

func TestClusterThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	site := siteAt(t, silent.URL)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := site.Preflight(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted Preflight = %v", err)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	if _, ok := errors.AsType[*PreflightError](siteAt(t, closed.URL).Preflight(t.Context())); !ok {
		t.Error("a cluster that does not answer is no problem of preflight")
	}
}

func TestNodesOfAnotherArchitecture(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		nodes []runtime.Object
		says  string
	}{
		"same":    {[]runtime.Object{node(goruntime.GOARCH)}, ""},
		"another": {[]runtime.Object{node("s390x")}, "the nodes are of s390x"},
		"two":     {[]runtime.Object{node(goruntime.GOARCH), node("s390x")}, "a receipt speaks of one architecture"},
	} {
		problems, err := newSite(append(tc.nodes, system())...).checkNodes(t.Context())
		if says := strings.Join(problems, "\n"); err != nil || !strings.Contains(says, tc.says) || (says == "") != (tc.says == "") {
			t.Errorf("%s: %q, %v", name, says, err)
		}
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		name       corev1.ResourceName
		hard, used string
		says       string
	}{
		"room":             {"requests.memory", "16Gi", "8Gi", ""},
		"memory":           {"requests.memory", "16Gi", "9Gi", "quota q leaves 7Gi requests.memory, and a rehearsal needs 8Gi"},
		"memory by itself": {"memory", "16Gi", "9Gi", "quota q leaves 7Gi memory, and a rehearsal needs 8Gi"},
		"limits":           {"limits.cpu", "4", "1", "quota q leaves 3 limits.cpu, and a rehearsal needs 4"},
		"processors":       {"requests.cpu", "4", "1500m", "quota q leaves 2500m requests.cpu, and a rehearsal needs 3"},
		"storage":          {"requests.storage", "25Gi", "10Gi", "quota q leaves 15Gi requests.storage, and a rehearsal needs 20Gi"},
		"claims":           {"persistentvolumeclaims", "2", "1", "quota q leaves 1 persistentvolumeclaims, and a rehearsal needs 2"},
		"pods":             {"pods", "5", "1", "quota q leaves 4 pods, and a rehearsal needs 5"},
		"overdrawn":        {"pods", "5", "9", "quota q leaves -4 pods, and a rehearsal needs 5"},
	} {
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: ns}, Status: corev1.ResourceQuotaStatus{
			Hard: corev1.ResourceList{tc.name: resource.MustParse(tc.hard)}, Used: corev1.ResourceList{tc.name: resource.MustParse(tc.used)},
		}}
		problems, err := newSite(quota, serverPod(), serverClaim()).checkQuota(t.Context())
		if diff := cmp.Diff(tc.says, strings.Join(problems, "\n")); err != nil || diff != "" {
			t.Errorf("%s: error %v, problems (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestPoliciesThatLetCopiesOut: policies add up, so the run's own policy closes nothing that another one opens.
func TestPoliciesThatLetCopiesOut(t *testing.T) {
	t.Parallel()
	games := metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": "gameplane-game"}}
	block := func(cidr string) []networkingv1.NetworkPolicyPeer {
		return []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: []string{"10.0.0.0/8"}}}}
	}
	for name, tc := range map[string]struct {
		selector metav1.LabelSelector
		to       []networkingv1.NetworkPolicyPeer
		egress   string
		out      bool
	}{
		"chart's public egress":  {games, block("0.0.0.0/0"), runconfig.EgressClosed, true},
		"public half":            {games, block("0.0.0.0/1"), runconfig.EgressClosed, true},
		"IPv6":                   {games, block("::/0"), runconfig.EgressClosed, true},
		"more than private":      {games, block("10.0.0.0/4"), runconfig.EgressClosed, true},
		"everybody":              {games, nil, runconfig.EgressClosed, true},
		"everybody, of all pods": {metav1.LabelSelector{}, nil, runconfig.EgressClosed, true},
		"asked for":              {games, block("0.0.0.0/0"), runconfig.EgressOpen, false},
		"private network":        {games, block("172.16.0.0/12"), runconfig.EgressClosed, false},
		"one address":            {games, block("203.0.113.7/32"), runconfig.EgressClosed, false},
		"namespace":              {games, inNamespace(), runconfig.EgressClosed, false},
		"the server alone":       {metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/instance": "survival"}}, block("0.0.0.0/0"), runconfig.EgressClosed, false},
		"other pods":             {metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, nil, runconfig.EgressClosed, false},
	} {
		policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "opens", Namespace: ns}, Spec: networkingv1.NetworkPolicySpec{
			PodSelector: tc.selector, Egress: []networkingv1.NetworkPolicyEgressRule{{To: tc.to}},
		}}
		site := newSite(policy, serverPod())
		site.config.Cluster.Egress = tc.egress
		problems, err := site.checkNetwork(t.Context())
		if err != nil || (len(problems) > 0) != tc.out {
			t.Errorf("%s: %v, %v", name, problems, err)
		}
	}
}

func TestBaselineIsWhatTheServerRuns(t *testing.T) {
	t.Parallel()
	site := newSite()
	for image, right := range map[string]bool{"": true, "game:1": true, "game@" + digest: true, "game@" + strings.ReplaceAll(digest, "aa", "bb"): false} {
		site.config.Baseline.Image = image
		if problems := site.checkBaseline(&adapter.Model{Name: "survival", Image: "registry.example/game@" + digest}); (len(problems) == 0) != right {
			t.Errorf("%q: %v", image, problems)
		}
	}
}
