package existing

import (
	"context"
	"fmt"
	"net/netip"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/rehearse"
	"github.com/GameplanePanel/rehearsal/harness/runconfig"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// openNetwork lets the run's own pods speak to each other, and the operator's copying Jobs of the run to the repository.
// Gameplane's chart denies both in a namespace of games. Where nothing is denied, the policies change nothing for others:
// they select pods of the run alone.
func (s *Site) openNetwork(ctx context.Context, run string) error {
	policies := s.policies(run)
	if s.config.Cluster.Egress != runconfig.EgressOpen {
		closed, err := s.closed(ctx, run)
		if err != nil {
			return err
		}
		policies = append(policies, closed)
	}
	for _, policy := range policies {
		if _, err := s.client.NetworkingV1().NetworkPolicies(s.namespace()).Create(ctx, policy, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("network policy %s: %w", policy.Name, err)
		}
	}
	return nil
}

func (s *Site) policies(run string) []*networkingv1.NetworkPolicy {
	prefix := prefixOf(run)
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: prefix + name, Labels: labels(run)}
	}
	return []*networkingv1.NetworkPolicy{{
		ObjectMeta: meta("own-pods"),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{adapter.RunLabel: run}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: inNamespace()}},
			Egress:      []networkingv1.NetworkPolicyEgressRule{{To: inNamespace()}, {To: dns()}},
		},
	}, {
		ObjectMeta: meta("copies"),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: "job-name", Operator: metav1.LabelSelectorOpIn, Values: s.copies(prefix),
			}}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress:      []networkingv1.NetworkPolicyEgressRule{{To: inNamespace()}, {To: dns()}},
		},
	}}
}

// closed keeps the copies of the server inside: they carry its tokens and its world. An agent next to a game reports to
// the API server.
func (s *Site) closed(ctx context.Context, run string) (*networkingv1.NetworkPolicy, error) {
	slices, err := s.client.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kubernetes"})
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	egress := []networkingv1.NetworkPolicyEgressRule{{To: inNamespace()}, {To: dns()}}
	for _, slice := range slices.Items {
		server, err := apiServer(slice)
		if err != nil {
			return nil, fmt.Errorf("address of the API server: %w", err)
		}
		if len(server.To) > 0 { // a rule without addresses is one for all addresses
			egress = append(egress, server)
		}
	}
	prefix := prefixOf(run)
	pods := []string{prefix + rehearse.MemberName + "-0"}
	for _, clone := range s.clones() {
		pods = append(pods, prefix+clone+"-0")
	}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: prefix + "closed", Namespace: s.namespace(), Labels: labels(run)},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: appsv1.StatefulSetPodNameLabel, Operator: metav1.LabelSelectorOpIn, Values: pods,
			}}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress:      egress,
		},
	}, nil
}

// apiServer lets pods speak to the addresses of a slice, at its ports alone: on a small cluster the same machine serves
// more than the API.
func apiServer(slice discoveryv1.EndpointSlice) (networkingv1.NetworkPolicyEgressRule, error) {
	var rule networkingv1.NetworkPolicyEgressRule
	for _, endpoint := range slice.Endpoints {
		for _, address := range endpoint.Addresses {
			ip, err := netip.ParseAddr(address)
			if err != nil {
				return rule, err
			}
			rule.To = append(rule.To, networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(ip, ip.BitLen()).String()}})
		}
	}
	for _, port := range slice.Ports {
		if port.Port != nil {
			rule.Ports = append(rule.Ports, networkingv1.NetworkPolicyPort{Protocol: port.Protocol, Port: ptr.To(intstr.FromInt32(*port.Port))})
		}
	}
	return rule, nil
}

func inNamespace() []networkingv1.NetworkPolicyPeer {
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
}

func dns() []networkingv1.NetworkPolicyPeer {
	system := map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem}
	return []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{MatchLabels: system}}}
}

// clones name the clones of a run, without its prefix.
func (s *Site) clones() []string {
	var names []string
	for i := range s.config.Candidates {
		for _, update := range s.updates(images{candidates: make([]rehearse.Image, len(s.config.Candidates))}, i) {
			names = append(names, update.Clone())
		}
	}
	return names
}

// copies name the Jobs that copy to and from the run's repository, as Gameplane names them. The Job that restores the
// server's own Backup is not one of them: it needs the server's repository, wherever that is.
func (s *Site) copies(prefix string) []string {
	names := []string{prefix + rehearse.BackupName}
	for _, clone := range s.clones() {
		for _, purpose := range []string{statement.PurposeSeed, statement.PurposeRollback} {
			names = append(names, "restore-"+prefix+clone+"-"+purpose)
		}
	}
	return names
}
