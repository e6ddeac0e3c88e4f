package rehearse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Rehearse plays an update on a clone of its own and files the receipt with the run. Any number may be played at
// the same time. A receipt is written whatever happens; the error says that writing it failed, or that the update is not
// one of the run's.
func (f *Fleet) Rehearse(ctx context.Context, run *Run, update Update) (statement.Receipt, error) {
	if err := run.expects(update); err != nil {
		return statement.Receipt{}, err
	}
	rollout, err := run.journal(update.Scenario)
	if err != nil {
		return statement.Receipt{}, fmt.Errorf("rollout journal: %w", err)
	}
	defer rollout.Close()
	r := &rehearsal{
		fleet:   f,
		journal: rollout,
		update:  update,
		clone:   f.config.Prefix + update.Clone(),
		spans:   evidence.NewSpans(time.Now),
		receipt: &statement.Receipt{
			Run: statement.Run{
				ID:        run.ID,
				Scenario:  update.Scenario,
				Challenge: run.Challenge,
				Harness:   Version(),
				StartedAt: time.Now().UTC(),
				Marker:    f.marker,
				CloneMods: randomMarker(),
			},
			Candidate:   update.Candidate.revision(), // until more is known of it
			Environment: f.config.Environment,
			Baseline:    f.baseline,
			Backup:      &f.backup,
			Checkpoints: []statement.Checkpoint{},
			Restores:    []statement.Restore{},
		},
	}
	if err := r.complete(ctx); err != nil {
		r.receipt.Fault = r.fault(ctx, err)
		f.config.Log.Error("rehearsal ended early", "scenario", update.Scenario, "fault", r.receipt.Fault.Class, "step", r.receipt.Fault.Step, "error", err)
	}
	r.finish(ctx)
	digest, err := run.add(*r.receipt)
	if err != nil {
		return *r.receipt, err
	}
	return *r.receipt, errors.Join(r.admitCandidate(digest), r.remove(ctx))
}

// remove deletes the clone where the cluster is not ours: the next one needs its room.
func (r *rehearsal) remove(ctx context.Context) error {
	if r.fleet.config.Source == nil || r.fleet.config.Keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.fleet.config.Limits.Start)
	defer cancel()
	return r.operator().Delete(ctx, r.clone)
}

// Play rehearses every update of a run, at most parallel of them at the same time, and returns the receipts in their order.
// An error says that evidence could not be written; what became of an update is in its receipt.
func (f *Fleet) Play(ctx context.Context, run *Run, parallel int) ([]statement.Receipt, error) {
	played := make([]statement.Receipt, len(run.Updates))
	failures := make([]error, len(run.Updates))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, update := range run.Updates {
		group.Go(func() error {
			played[i], failures[i] = f.Rehearse(ctx, run, update)
			return nil
		})
	}
	_ = group.Wait() // every failure is in its place
	return played, errors.Join(failures...)
}

// complete installs the candidate and plays the course.
func (r *rehearsal) complete(ctx context.Context) error {
	r.spans.Start("install", "the operator to take note of the candidate's revision")
	if err := r.offer(ctx); err != nil {
		return err
	}
	return r.play(ctx)
}

// finish fills in what is known only at the end, and derives the verdict from what was seen.
func (r *rehearsal) finish(ctx context.Context) {
	r.receipt.Fleet = r.fleet.members(ctx, r.offered)
	r.receipt.Journal = r.journal.State()
	r.receipt.Spans = r.spans.End()
	r.receipt.Run.FinishedAt = time.Now().UTC()
	*r.receipt = evaluation.Complete(*r.receipt)
}

// offer makes the candidate known to the operator, and sees that the bystander is offered it. One candidate at a
// time, since a member is offered the newest revision alone.
func (r *rehearsal) offer(ctx context.Context) error {
	r.fleet.offering.Lock()
	defer r.fleet.offering.Unlock()
	candidate, err := r.fleet.install(ctx, r.update.Candidate)
	if err != nil {
		return err
	}
	r.candidate, r.receipt.Candidate = candidate, candidate
	ctx, cancel := context.WithTimeout(ctx, r.fleet.config.Limits.Start)
	defer cancel()
	observed, err := r.operator().AwaitPending(ctx, r.fleet.bystander(), candidate.TemplateDigest)
	if observed {
		r.offered = candidate.TemplateDigest
	}
	return err
}

// lastLook bounds the look at each member at the end, which is taken also when the rehearsal was told to stop. A member
// that missed a probe on a busy node gets that long to answer again.
const lastLook = 10 * time.Second

// members says what became of the fleet's members, of which nothing was asked.
func (f *Fleet) members(ctx context.Context, offered string) []statement.Member {
	if gap := f.config.Recorder.Gap(); gap != nil {
		f.config.Log.Warn("the fleet was not watched throughout", "reason", gap)
	}
	unasked := f.memberNow(ctx, f.bystander())
	unasked.Pending = offered
	return []statement.Member{unasked, f.memberNow(ctx, f.member())}
}

// memberNow joins what the recorder saw with how the pod is now: an event of it may still be on its way.
func (f *Fleet) memberNow(ctx context.Context, server string) statement.Member {
	history := f.config.Recorder.Pod(server + "-0")
	seen := statement.Member{
		Server:   server,
		PodUIDs:  history.UIDs,
		ImageID:  history.ImageID,
		Restarts: history.Restarts,
		Gapless:  history.Gapless,
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	pod, err := f.config.Operator.AwaitRunning(ctx, server, adapter.Expect{Digest: f.baseline.Digest})
	seen.Alive = err == nil
	if rejected, ok := errors.AsType[*adapter.Rejected](err); ok {
		pod = rejected.Pod
	}
	if pod != nil && !slices.Contains(seen.PodUIDs, string(pod.UID)) {
		seen.PodUIDs = append(seen.PodUIDs, string(pod.UID))
	}
	return seen
}

// admitBaseline opens the rollout journal of the clone: the baseline was seen to run, to be joined and to hold its
// world, so it is what a failed candidate falls back to.
func (r *rehearsal) admitBaseline(before statement.Checkpoint) error {
	return r.admit(journal.Entry{Kind: journal.Baseline, Image: before.Revision})
}

// admitCandidate adds the candidate to the journal where its receipt says that it may be promoted.
func (r *rehearsal) admitCandidate(receipt string) error {
	if r.receipt.Verdict != statement.Passed || !r.receipt.Disposition.Promotable() {
		return nil
	}
	return r.admit(journal.Entry{Kind: journal.Admitted, Image: r.candidate.Digest, Receipt: receipt})
}

func (r *rehearsal) admit(entry journal.Entry) error {
	entry.At = time.Now().UTC()
	if _, err := r.journal.Append(entry); err != nil {
		return fmt.Errorf("rollout journal: %w", err)
	}
	return nil
}
