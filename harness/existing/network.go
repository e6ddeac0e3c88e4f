package existing

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
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
	list, err := s.client.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kubernetes"})
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	egress := []networkingv1.NetworkPolicyEgressRule{{To: inNamespace()}, {To: dns()}}
	for _, slice := range list.Items {
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

// checkNetwork finds policies that let the copies out although egress is closed: Kubernetes adds policies up, and one
// cannot take away what another one allows. Gameplane's chart has such a policy, for games that download themselves.
func (s *Site) checkNetwork(ctx context.Context) ([]string, error) {
	if s.config.Cluster.Egress == runconfig.EgressOpen {
		return nil, nil
	}
	list, err := s.client.NetworkingV1().NetworkPolicies(s.namespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("network policies: %w", err)
	}
	pod, err := s.client.CoreV1().Pods(s.namespace()).Get(ctx, s.config.Server.Name+"-0", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil // checkServer has said so
	}
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, policy := range list.Items {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		if err != nil {
			return nil, fmt.Errorf("network policy %s: %w", policy.Name, err)
		}
		if selector.Matches(s.labelsOfCopy(pod)) && slices.ContainsFunc(policy.Spec.Egress, leadsOut) {
			problems = append(problems, fmt.Sprintf("network policy %s lets the copies call out, and no other policy can take that away: change it, or accept it with cluster.egress: open", policy.Name))
		}
	}
	return problems, nil
}

// labelsOfCopy are those that the operator gives a copy, as far as the server's pod shows them.
func (s *Site) labelsOfCopy(pod *corev1.Pod) k8slabels.Set {
	set := k8slabels.Set{}
	for key, value := range pod.Labels {
		switch value {
		case s.config.Server.Name:
			value = rehearse.MemberName
		case pod.Name:
			value = rehearse.MemberName + "-0"
		}
		set[key] = value
	}
	return set
}

// inside are the networks that no router passes on to the internet.
var inside = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("::1/128"),
}

// leadsOut says whether a rule lets pods speak to addresses of the internet. A single address does not count: it is how a
// policy names an API server.
func leadsOut(rule networkingv1.NetworkPolicyEgressRule) bool {
	return len(rule.To) == 0 || slices.ContainsFunc(rule.To, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock == nil {
			return false
		}
		block, err := netip.ParsePrefix(peer.IPBlock.CIDR)
		return err != nil || !block.IsSingleIP() && !slices.ContainsFunc(inside, func(network netip.Prefix) bool {
			return network.Bits() <= block.Bits() && network.Contains(block.Addr())
		})
	})
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
