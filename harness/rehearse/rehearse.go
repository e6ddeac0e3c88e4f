package rehearse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Rehearse plays an update on its own clone and adds the receipt to the run. Any number of rehearsals may run at the same
// time. Rehearse writes a receipt whatever happens in the rehearsal. It returns an error if it cannot write the receipt or
// the journal, or if the update does not belong to the run.
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
			Candidate:   update.Candidate.revision(), // offer replaces it
			Environment: f.config.Environment,
			Baseline:    f.baseline,
			Backup:      &f.backup,
			Checkpoints: []statement.Checkpoint{},
			Restores:    []statement.Restore{},
		},
	}
	if err := r.installAndPlay(ctx); err != nil {
		r.receipt.Fault = r.fault(ctx, err)
		f.config.Log.Log(ctx, severity(r.receipt.Fault), "rehearsal ended early", "scenario", update.Scenario, "fault", r.receipt.Fault.Class, "step", r.receipt.Fault.Step, "error", err)
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

// severity is how loudly a fault is logged. Who interrupts a run knows that its cases ended early.
func severity(fault *statement.Fault) slog.Level {
	if fault.Class == statement.FaultInterrupted {
		return slog.LevelDebug
	}
	return slog.LevelError
}

// installAndPlay installs the candidate and plays the update.
func (r *rehearsal) installAndPlay(ctx context.Context) error {
	r.spans.Start("install", "the operator to offer the candidate's revision")
	if err := r.offer(ctx); err != nil {
		return err
	}
	return r.play(ctx)
}

// finish fills in what is known only at the end, and evaluates the observations.
func (r *rehearsal) finish(ctx context.Context) {
	r.receipt.Fleet = r.fleet.observeMembers(ctx, r.offered)
	r.receipt.Journal = r.journal.State()
	r.receipt.Spans = r.spans.End()
	r.receipt.Run.FinishedAt = time.Now().UTC()
	*r.receipt = evaluation.Complete(*r.receipt)
}

// offer installs the candidate's revision and waits until the operator offers it to the bystander. Rehearsals do this one
// at a time, because the operator offers only the newest revision.
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

// memberDeadline bounds the observation of each member at the end of a rehearsal, even one that was stopped. A member that
// missed a probe on a busy node gets that time to become ready again.
const memberDeadline = 10 * time.Second

// observeMembers records the state of the fleet's members, which a rehearsal must not touch.
func (f *Fleet) observeMembers(ctx context.Context, offered string) []statement.Member {
	if gap := f.config.Recorder.Gap(); gap != nil {
		f.config.Log.Warn("the fleet was not watched throughout", "reason", gap)
	}
	untouched := f.observeMember(ctx, f.bystander())
	untouched.Pending = offered
	return []statement.Member{untouched, f.observeMember(ctx, f.member())}
}

// observeMember combines what the recorder saw with the pod as it is now, because the recorder may not have seen the last
// event yet.
func (f *Fleet) observeMember(ctx context.Context, server string) statement.Member {
	history := f.config.Recorder.Pod(server + "-0")
	seen := statement.Member{
		Server:   server,
		PodUIDs:  history.UIDs,
		ImageID:  history.ImageID,
		Restarts: history.Restarts,
		Gapless:  history.Gapless,
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), memberDeadline)
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

// admitBaseline writes the first entry of the clone's rollout journal. The clone has shown at the checkpoint before that
// the baseline works, so a failed candidate falls back to it.
func (r *rehearsal) admitBaseline(before statement.Checkpoint) error {
	return r.admit(journal.Entry{Kind: journal.Baseline, Image: before.Revision})
}

// admitCandidate adds the candidate to the journal if its receipt says that it may be promoted.
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
