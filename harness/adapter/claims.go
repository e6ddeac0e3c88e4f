package adapter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ClaimRef is a claim that belongs to a server.
type ClaimRef struct {
	Role   string // receipts.Primary, receipts.Extra or receipts.Mods
	Name   string
	UID    string
	Volume string // "" while the claim is not bound
}

// Claims returns the server's claims in the order primary, extra, mods. It waits until the operator has created them.
func (c *Client) Claims(ctx context.Context, server string) ([]ClaimRef, error) {
	var refs []ClaimRef
	look := func(ctx context.Context) (bool, string, error) {
		object, err := c.get(ctx, servers, server)
		if err != nil {
			return false, "", err
		}
		list, err := c.typed.CoreV1().PersistentVolumeClaims(c.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", fmt.Errorf("list claims: %w", err)
		}
		refs = claimsOf(server, object.GetUID(), list.Items)
		observed, _, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		made := err == nil && observed > 0 && len(refs) > 0 && refs[0].Role == statement.Primary
		return made, fmt.Sprintf("%d claims, generation %d observed", len(refs), observed), nil
	}
	err := c.await(ctx, "claims of server "+server, look, subject{servers, server}, subject{claims, server + "-data"})
	return refs, err
}

// claimsOf selects the claims that the server owns: a claim with a matching name may belong to another server.
func claimsOf(server string, owner types.UID, list []corev1.PersistentVolumeClaim) []ClaimRef {
	var refs []ClaimRef
	for i := range list {
		claim := &list[i]
		role := roleOf(server, claim.Name)
		if role == "" || !ownedBy(claim, owner) {
			continue
		}
		refs = append(refs, ClaimRef{Role: role, Name: claim.Name, UID: string(claim.UID), Volume: claim.Spec.VolumeName})
	}
	order := []string{statement.Primary, statement.Extra, statement.Mods}
	slices.SortFunc(refs, func(a, b ClaimRef) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Role), slices.Index(order, b.Role)), cmp.Compare(a.Name, b.Name))
	})
	return refs
}

func roleOf(server, claim string) string {
	switch {
	case claim == server+"-data":
		return statement.Primary
	case strings.HasPrefix(claim, server+"-extra-"):
		return statement.Extra
	case strings.HasPrefix(claim, server+"-mods-"):
		return statement.Mods
	}
	return ""
}

func ownedBy(claim *corev1.PersistentVolumeClaim, owner types.UID) bool {
	return slices.ContainsFunc(claim.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == owner })
}
