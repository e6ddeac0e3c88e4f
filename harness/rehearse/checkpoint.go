package rehearse

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// checkpoint waits until the clone runs the revision, lets a player join, and observes everything. It also restarts the
// candidate and joins it again, because a game may not have saved what it holds in memory.
//
// A revision that does not get that far makes a refused checkpoint with the same observations.
func (r *rehearsal) checkpoint(ctx context.Context, name string, revision statement.Revision) (statement.Checkpoint, error) {
	r.fleet.config.Log.Info("rehearsal", "scenario", r.update.Scenario, "checkpoint", name, "revision", revision.Name)
	point := statement.Checkpoint{Name: name, Revision: revision.Digest, Outcome: statement.Reached, Joins: []statement.Join{}}
	err := r.join(ctx, &point, revision)
	if err == nil && name == statement.Candidate && point.Outcome == statement.Reached {
		err = r.restart(ctx, &point, revision)
	}
	if err == nil {
		err = r.observe(ctx, &point)
	}
	if err == nil && point.Outcome == statement.Reached {
		err = r.confirmPod(ctx, &point, revision)
	}
	point.At = time.Now().UTC()
	r.receipt.Checkpoints = append(r.receipt.Checkpoints, point)
	return point, err
}

// join waits for the pod and lets the player join.
func (r *rehearsal) join(ctx context.Context, point *statement.Checkpoint, revision statement.Revision) error {
	r.spans.Start("start "+point.Name, "a ready pod of "+revision.Name)
	pod, err := r.await(ctx, revision)
	if rejected, ok := errors.AsType[*adapter.Rejected](err); ok {
		point.Pod = r.podRecord(rejected.Pod)
		refuse(point, rejected.Reason, rejected.Message)
		r.setPod(rejected.Pod)
		return nil
	}
	if err != nil {
		return err
	}
	point.Pod = r.podRecord(pod)
	r.setPod(pod)

	r.spans.Start("join "+point.Name, "a player's join")
	request := r.fleet.joinRequest(r.clone)
	request.WantTrace = r.trace
	joined, err := r.fleet.player.Join(ctx, request)
	if err != nil {
		return err
	}
	joined.Pod = string(pod.UID)
	point.Joins = append(point.Joins, joined.Join)
	if joined.Trace != "" {
		r.trace = joined.Trace
	}
	switch {
	case joined.WorldLost():
		refuse(point, statement.ReasonWorldLost, joined.Evidence)
	case joined.Depth != statement.Held:
		refuse(point, statement.ReasonJoinFailed, joined.Evidence)
	case joined.Marker != r.fleet.marker:
		refuse(point, statement.ReasonWorldLost, fmt.Sprintf("the world holds marker %q, not %q", joined.Marker, r.fleet.marker))
	}
	return nil
}

// restart replaces the pod of a revision that a player joined, and lets the player join again.
func (r *rehearsal) restart(ctx context.Context, point *statement.Checkpoint, revision statement.Revision) error {
	r.spans.Start("restart "+point.Name, "a graceful stop")
	if err := r.operator().ReplacePod(ctx, r.clone); err != nil {
		return err
	}
	return r.join(ctx, point, revision)
}

func (r *rehearsal) await(ctx context.Context, revision statement.Revision) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, r.fleet.config.Limits.Start)
	defer cancel()
	return r.operator().AwaitRunning(ctx, r.clone, adapter.Expect{Digest: revision.Digest, NotPod: r.pod})
}

func (r *rehearsal) setPod(pod *corev1.Pod) {
	if pod != nil {
		r.pod = pod.UID
	}
}

// observe reads what the API server says of the claims, and what the claims hold.
func (r *rehearsal) observe(ctx context.Context, point *statement.Checkpoint) error {
	r.spans.Start("observe "+point.Name, "a pod that reads the claims")
	refs, err := r.operator().Claims(ctx, r.clone)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		point.Claims = append(point.Claims, statement.Claim{Role: ref.Role, Name: ref.Name, UID: ref.UID, Volume: ref.Volume})
	}
	ctx, cancel := context.WithTimeout(ctx, r.fleet.config.Limits.Copy)
	defer cancel()
	world, damage, err := r.fleet.config.Witness.Claims(ctx, r.clone+"-read-"+point.Name, point.Claims)
	point.World = world
	if err == nil && damage != "" && point.Outcome == statement.Reached {
		refuse(point, statement.ReasonWorldLost, "the save cannot be read: "+damage)
	}
	return err
}

// confirmPod refuses the checkpoint unless the joined pod is still there and ready: the game may have died after the join.
// A pod that only missed a probe on a busy node gets the time of a join to become ready again.
func (r *rehearsal) confirmPod(ctx context.Context, point *statement.Checkpoint, revision statement.Revision) error {
	ctx, cancel := context.WithTimeout(ctx, r.fleet.config.Limits.Join)
	defer cancel()
	pod, err := r.operator().AwaitRunning(ctx, r.clone, adapter.Expect{Digest: revision.Digest})
	if rejected, ok := errors.AsType[*adapter.Rejected](err); ok {
		refuse(point, rejected.Reason, "after the join: "+rejected.Message)
		pod, err = rejected.Pod, nil
	}
	if err != nil {
		return err
	}
	seen := r.podRecord(pod)
	if seen == nil {
		return nil
	}
	if seen.UID != point.Pod.UID || seen.Restarts > point.Pod.Restarts {
		refuse(point, statement.ReasonCrash, fmt.Sprintf("after the join the pod was %s, restarted %d times", seen.UID, seen.Restarts))
	}
	point.Pod = seen
	return nil
}

func refuse(point *statement.Checkpoint, reason statement.Reason, message string) {
	point.Outcome, point.Reason, point.Message = statement.Refused, reason, statement.Excerpt(message)
}

func (r *rehearsal) podRecord(pod *corev1.Pod) *statement.Pod {
	if pod == nil {
		return nil
	}
	seen := &statement.Pod{
		Name:         pod.Name,
		UID:          string(pod.UID),
		Node:         pod.Spec.NodeName,
		Architecture: r.fleet.config.Environment.Architecture, // the cluster has one node
	}
	for _, container := range pod.Spec.Containers {
		if container.Name == adapter.GameContainer {
			seen.Image = container.Image
		}
	}
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == adapter.GameContainer {
			seen.ImageID, seen.Restarts = status.ImageID, int(status.RestartCount)
		}
	}
	return seen
}
