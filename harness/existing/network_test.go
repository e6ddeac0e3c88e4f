package existing

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/GameplanePanel/rehearsal/harness/runconfig"
)

const (
	ns  = "games"
	run = "20261207-120159-5yma"
)

// newSite is a site on an API server without controllers.
func newSite(typed ...runtime.Object) *Site {
	return &Site{
		config: runconfig.Config{
			Cluster:    runconfig.Cluster{Namespace: ns},
			Server:     runconfig.Server{Name: "survival"},
			Candidates: []runconfig.Candidate{{Name: "next", Image: "game:next"}},
			Controls:   runconfig.DefaultControls(),
		},
		client: fake.NewClientset(typed...),
		log:    slog.New(slog.DiscardHandler),
	}
}

func apiServerSlice(addresses ...string) *discoveryv1.EndpointSlice {
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "kubernetes", Namespace: metav1.NamespaceDefault, Labels: map[string]string{"kubernetes.io/service-name": "kubernetes"}},
		Ports:      []discoveryv1.EndpointPort{{Port: ptr.To(int32(6443))}},
	}
	if len(addresses) > 0 {
		slice.Endpoints = []discoveryv1.Endpoint{{Addresses: addresses}}
	}
	return slice
}

// TestClosed: a rule without addresses, or without ports, would be one for all of them.
func TestClosed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		slices []runtime.Object
		want   []string
	}{
		"an API server":        {[]runtime.Object{apiServerSlice("172.18.0.2")}, []string{"172.18.0.2/32:6443"}},
		"IPv6":                 {[]runtime.Object{apiServerSlice("fd00::2")}, []string{"fd00::2/128:6443"}},
		"no slice":             {},
		"slice without server": {slices: []runtime.Object{apiServerSlice()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy, err := newSite(tc.slices...).closed(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, outside(t, policy)); diff != "" {
				t.Errorf("addresses outside the namespace (-want +got):\n%s", diff)
			}
		})
	}
}

// outside lists the addresses that a policy lets pods speak to, and fails where that is all of them.
func outside(t *testing.T, policy *networkingv1.NetworkPolicy) []string {
	t.Helper()
	var found []string
	for _, rule := range policy.Spec.Egress {
		if len(rule.To) == 0 {
			t.Error("a rule lets the copies speak to everybody")
		}
		for _, peer := range rule.To {
			if peer.IPBlock == nil {
				continue
			}
			if len(rule.Ports) == 0 {
				t.Errorf("all ports of %s", peer.IPBlock.CIDR)
			}
			for _, port := range rule.Ports {
				found = append(found, peer.IPBlock.CIDR+":"+port.Port.String())
			}
		}
	}
	return found
}
