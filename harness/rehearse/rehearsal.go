package rehearse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/backup"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Update is an update to rehearse.
type Update struct {
	Scenario  string // see evaluation.KnownScenario
	Candidate Image
	// Suffix tells clones of one scenario apart, where a fleet plays it more than once.
	Suffix string
}

// Clone returns the name of the clone on which the update is played.
func (u Update) Clone() string {
	return "clone-" + u.Suffix + strings.NewReplacer("/", "-", ".", "-").Replace(u.Scenario)
}

// rehearsal plays one update on one clone. Each step writes its observations to the receipt, so that they survive the
// failure of a later step.
type rehearsal struct {
	fleet     *Fleet
	journal   *journal.Writer
	update    Update
	clone     string
	candidate statement.Revision
	offered   string // the revision that the operator offered to the bystander
	receipt   *statement.Receipt
	spans     *evidence.Spans
	pod       types.UID // the clone's last observed pod: the next checkpoint needs another
	trace     string    // what the last join left in the clone's world for the next one to find
}

// play goes through the checkpoints. A refused candidate is no error; an error is a fault that ended the rehearsal.
func (r *rehearsal) play(ctx context.Context) error {
	if err := r.seed(ctx); err != nil {
		return err
	}
	before, err := r.checkpoint(ctx, statement.Before, r.fleet.baseline)
	if err != nil {
		return err
	}
	if before.Outcome == statement.Refused {
		return faultf(statement.FaultProduct, statement.Before, "%s: %s: %s", seedProblem(before, r.fleet.marker), before.Reason, before.Message)
	}
	if err := r.admitBaseline(before); err != nil {
		return err
	}
	if err := r.adopt(ctx, r.candidate); err != nil {
		return err
	}
	if _, err := r.checkpoint(ctx, statement.Candidate, r.candidate); err != nil {
		return err
	}
	back, err := r.rollBack(ctx)
	if err != nil || back.Outcome == statement.Reached {
		return err
	}
	return r.restore(ctx)
}

// seed creates the clone: a new server with its own mods, whose data comes from the backup.
func (r *rehearsal) seed(ctx context.Context) error {
	r.fleet.config.Log.Info("rehearsal: restoring the backup into a clone", "scenario", r.update.Scenario)
	r.spans.Start("seed", "Restore of the backup into the clone")
	server := r.fleet.server(r.clone)
	server.Suspend = true
	if err := r.operator().CreateServer(ctx, server); err != nil {
		return err
	}
	if err := r.fleet.markMods(ctx, r.clone, r.receipt.Run.CloneMods); err != nil {
		return err
	}
	return r.restoreFrom(ctx, statement.PurposeSeed)
}

// rollBack adopts the baseline again and leaves the data as the candidate left it.
func (r *rehearsal) rollBack(ctx context.Context) (statement.Checkpoint, error) {
	if err := r.adopt(ctx, r.fleet.baseline); err != nil {
		return statement.Checkpoint{}, err
	}
	// A StatefulSet does not replace a pod that never became ready when its template changes (kubernetes#67250).
	if last := r.receipt.Checkpoints[len(r.receipt.Checkpoints)-1]; last.Outcome == statement.Refused {
		if err := r.operator().ReplacePod(ctx, r.clone); err != nil {
			return statement.Checkpoint{}, err
		}
	}
	return r.checkpoint(ctx, statement.Rollback, r.fleet.baseline)
}

// restore restores the data from the backup. The clone has adopted the baseline before: a Restore starts the adopted
// revision, and the candidate would rewrite the data again.
func (r *rehearsal) restore(ctx context.Context) error {
	r.spans.Start("restore", "suspend, and Restore of the backup into the clone")
	r.trace = "" // the backup does not contain it
	if err := r.operator().Suspend(ctx, r.clone); err != nil {
		return err
	}
	if err := r.restoreFrom(ctx, statement.PurposeRollback); err != nil {
		return err
	}
	_, err := r.checkpoint(ctx, statement.Restored, r.fleet.baseline)
	return err
}

func (r *rehearsal) restoreFrom(ctx context.Context, purpose string) error {
	ctx, cancel := context.WithTimeout(ctx, r.fleet.config.Limits.Copy)
	defer cancel()
	name := r.clone + "-" + purpose
	done, err := r.operator().Restore(ctx, name, r.fleet.backup.Name, r.clone)
	if err != nil {
		return err
	}
	r.receipt.Restores = append(r.receipt.Restores, statement.Restore{
		Name: name, UID: done.UID, Snapshot: done.Snapshot, Purpose: purpose,
	})
	return nil
}

func (r *rehearsal) adopt(ctx context.Context, revision statement.Revision) error {
	r.spans.Start("adopt "+revision.Name, "the operator to replace the pod")
	return r.operator().Adopt(ctx, r.clone, adapter.Revision{TemplateDigest: revision.TemplateDigest, Image: revision.Image})
}

func (r *rehearsal) operator() *adapter.Client { return r.fleet.config.Operator }

// faultError ends a rehearsal with a fault of a known class.
type faultError struct {
	class, step string
	err         error
}

func (e *faultError) Error() string { return fmt.Sprintf("%s: %v", e.step, e.err) }
func (e *faultError) Unwrap() error { return e.err }

func faultf(class, step, format string, args ...any) error {
	return &faultError{class: class, step: step, err: fmt.Errorf(format, args...)}
}

// fault says who caused an error. An error of unknown cause counts as the harness's, because it must not count against a
// candidate.
func (r *rehearsal) fault(ctx context.Context, err error) *statement.Fault {
	fault := &statement.Fault{Class: statement.FaultHarness, Step: r.spans.Current(), Message: statement.Excerpt(err.Error())}
	typed, ok := errors.AsType[*faultError](err)
	failure, failed := errors.AsType[*adapter.FailedError](err)
	cause := backup.Cause("")
	if failed {
		cause = backup.CauseOf(failure.Message)
	}
	switch {
	case ctx.Err() != nil:
		fault.Class = statement.FaultInterrupted
	case ok:
		fault.Class, fault.Step = typed.class, typed.step
	case cause != "":
		fault.Class = statement.FaultInfrastructure
		fault.Message = statement.Excerpt(fmt.Sprintf("%s: %s (%v)", cause, cause.Advice(), err))
	case failed:
		fault.Class = statement.FaultProduct
	case adapter.IsInfrastructure(err):
		fault.Class = statement.FaultInfrastructure
	}
	return fault
}
