package evidence

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestSpansFollowOneAnother(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	clock := start
	spans := NewSpans(func() time.Time { return clock })

	spans.Start("seed", "a Restore")
	clock = clock.Add(1500 * time.Millisecond)
	spans.Start("join", "a player")
	if got := spans.Current(); got != "join" {
		t.Errorf("current is %q", got)
	}
	clock = clock.Add(2 * time.Second)

	want := []statement.Span{
		{Name: "seed", Start: start, Millis: 1500, Waited: "a Restore"},
		{Name: "join", Start: start.Add(1500 * time.Millisecond), Millis: 2000, Waited: "a player"},
	}
	if diff := cmp.Diff(want, spans.End()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if got := spans.Current(); got != "" {
		t.Errorf("current after the end is %q", got)
	}
}
