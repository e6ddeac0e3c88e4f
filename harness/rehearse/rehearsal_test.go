package rehearse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/GameplanePanel/rehearsal/harness/adapter"
	"github.com/GameplanePanel/rehearsal/harness/evidence"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// An error of unknown cause counts as the harness's, because it must not count against a candidate.
func TestClassOfAFault(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name  string
		ctx   context.Context
		err   error
		class string
	}{
		{"unknown", context.Background(), errors.New("odd"), statement.FaultHarness},
		{"failed Restore", context.Background(), fmt.Errorf("seed: %w", &adapter.FailedError{Kind: "Restore"}), statement.FaultProduct},
		{"Restore with a wrong password", context.Background(), &adapter.FailedError{Kind: "Restore", Message: "Fatal: wrong password or no key found"}, statement.FaultInfrastructure},
		{"baseline does not run", context.Background(), faultf(statement.FaultProduct, statement.Before, "exit code 1"), statement.FaultProduct},
		{"API server busy", context.Background(), apierrors.NewTooManyRequests("later", 1), statement.FaultInfrastructure},
		{"API server gone", context.Background(), &net.OpError{Op: "dial", Err: errors.New("connection refused")}, statement.FaultInfrastructure},
		{"told to stop", cancelled, fmt.Errorf("wait: %w", context.Canceled), statement.FaultInterrupted},
		{"told to stop while a Restore failed", cancelled, &adapter.FailedError{Kind: "Restore"}, statement.FaultInterrupted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := &rehearsal{spans: evidence.NewSpans(time.Now)}
			if got := r.fault(test.ctx, test.err).Class; got != test.class {
				t.Errorf("class is %q, want %q", got, test.class)
			}
		})
	}
}

func TestCloneNameIsAHostName(t *testing.T) {
	t.Parallel()
	if got := (Update{Scenario: "bad-image/http-only"}).Clone(); got != "clone-bad-image-http-only" {
		t.Errorf("got %q", got)
	}
}
