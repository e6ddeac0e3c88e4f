package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/GameplanePanel/rehearsal/harness/save"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Claims reads the content of claims through a separate pod of the harness's image: a candidate's image may lie about
// its world, and a crashed game cannot answer. name must be free in the namespace. Claims fills in marker, tree, files
// and bytes of each claim, and returns the metadata of the save in the primary claim, or nil if there is none.
//
// A save or a claim that cannot be read is a finding, not an error: damage describes it for people.
//
// The pod mounts the claims while the game does too: ReadWriteOnce allows that on the game's node. The pod is
// deleted when Claims returns, so that it does not block an operator's Restore. The context must have a deadline, since
// Claims reads every byte of the claims.
func (w *Witness) Claims(ctx context.Context, name string, claims []statement.Claim) (world *statement.World, damage string, err error) {
	args := []string{"observe"}
	mounts := map[string]string{}
	for i, claim := range claims {
		path := fmt.Sprintf("/claims/%d", i)
		mounts[claim.Name] = path
		args = append(args, "--claim", claim.Role+"="+path)
	}
	pod := w.podFor(name, args, mounts, true)
	if err := w.followClaims(ctx, pod); err != nil {
		return nil, "", fmt.Errorf("read claims: %w", err)
	}
	output, err := w.run(ctx, pod)
	if err != nil {
		return nil, "", fmt.Errorf("read claims: %w", err)
	}
	var seen save.Observation
	if err := json.Unmarshal(output, &seen); err != nil {
		return nil, "", fmt.Errorf("read claims: output of pod %s: %w", name, err)
	}
	if len(seen.Claims) != len(claims) {
		return nil, "", fmt.Errorf("read claims: pod %s read %d of %d", name, len(seen.Claims), len(claims))
	}
	damage = seen.WorldError
	for i, content := range seen.Claims {
		if content.Error != "" {
			damage = fmt.Sprintf("%s claim: %s", claims[i].Role, content.Error)
			continue
		}
		claims[i].Read = true
		claims[i].Marker = content.Marker
		claims[i].Tree = content.Tree
		claims[i].Files = content.Files
		claims[i].Bytes = strconv.FormatInt(content.Bytes, 10)
	}
	return worldReceipt(seen.World), damage, nil
}

// worldReceipt converts a save to its form in a receipt.
func worldReceipt(world *save.World) *statement.World {
	if world == nil {
		return nil
	}
	return &statement.World{
		DataVersion:  world.DataVersion,
		Nonce:        world.Nonce,
		FormatMarker: world.FormatMarker,
		Chunks:       world.Chunks.Count,
		Players:      world.PlayerCount,
		Damaged:      world.Damaged,
	}
}

// Mark writes a marker into claims through a separate pod of the harness's image, named name.
func (w *Witness) Mark(ctx context.Context, name, value string, claims ...string) error {
	args := []string{"mark", "--value", value}
	mounts := map[string]string{}
	for i, claim := range claims {
		path := fmt.Sprintf("/claims/%d", i)
		mounts[claim] = path
		args = append(args, "--file", path+"/"+save.MarkerFile)
	}
	ctx, cancel := context.WithTimeout(ctx, podDeadline)
	defer cancel()
	pod := w.podFor(name, args, mounts, false)
	if err := w.followClaims(ctx, pod); err != nil {
		return fmt.Errorf("mark claims %s: %w", strings.Join(claims, ", "), err)
	}
	if _, err := w.run(ctx, pod); err != nil {
		return fmt.Errorf("mark claims %s: %w", strings.Join(claims, ", "), err)
	}
	return nil
}

// followClaims puts a pod on the node where a running pod mounts one of its claims.
func (w *Witness) followClaims(ctx context.Context, pod *corev1.Pod) error {
	list, err := w.Client.CoreV1().Pods(w.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("find the node of the claims: %w", err)
	}
	ours := claimsOf(pod)
	for i := range list.Items {
		other := &list.Items[i]
		if other.Spec.NodeName == "" || !slices.ContainsFunc(claimsOf(other), func(claim string) bool { return slices.Contains(ours, claim) }) {
			continue
		}
		pod.Spec.NodeName = other.Spec.NodeName
		return nil
	}
	return nil
}

func claimsOf(pod *corev1.Pod) []string {
	var names []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			names = append(names, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	return names
}
