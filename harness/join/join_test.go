package join_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/join"
)

// echo is a game that returns its options.
type echo struct{}

func (echo) Name() string { return "echo" }

func (echo) Probe(_ context.Context, address string, o join.Options) join.Result {
	o.Progress("echo", "called")
	return join.Result{Depth: join.Joined, Class: join.ClassOK, Evidence: strings.Join([]string{address, o.Name, o.Deadline.String(), o.Stage.String()}, " ")}
}

func TestMain(m *testing.M) {
	join.Register(echo{})
	m.Run()
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for i, deeper := range join.Depths {
		for j, want := range join.Depths {
			if got := deeper.AtLeast(want); got != (i >= j) {
				t.Errorf("%q at least %q: %t", deeper, want, got)
			}
		}
		if deeper.AtLeast("nonsense") || join.Depth("nonsense").AtLeast(deeper) {
			t.Errorf("%q compares with an unknown depth", deeper)
		}
	}
}

func TestResultAtLeast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		depth join.Depth
		class join.Class
		want  join.Depth
		ok    bool
	}{
		{join.Held, join.ClassOK, join.Held, true},
		{join.Joined, join.ClassOK, join.Held, false},
		{join.Joined, join.ClassEditRefused, join.Joined, true},
		{join.Joined, join.ClassLost, join.Query, true},
		{join.Joined, join.ClassLost, join.Joined, false},
		{join.Joined, join.ClassKicked, join.Joined, false},
		{join.Joined, join.ClassNoWorld, join.Joined, false},
		{join.Joined, join.ClassMalformed, join.Joined, false},
		{join.Held, join.ClassEditRefused, join.Held, false},
		{join.Joined, join.ClassMarkerLost, join.Query, false},
		{join.Joined, join.ClassTraceLost, join.Joined, false},
		{join.Held, join.ClassNotSaved, join.Held, false},
		{join.Held, join.ClassInterrupted, join.Held, false},
	}
	for _, test := range tests {
		if got := (join.Result{Depth: test.depth, Class: test.class}).AtLeast(test.want); got != test.ok {
			t.Errorf("depth %s and class %s are at least %s: %t, want %t", test.depth, test.class, test.want, got, test.ok)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		options  join.Options
		class    join.Class
		evidence string
	}{
		{"defaults", join.Options{Game: "echo"}, join.ClassOK, "there rehearsal 15s 5s"},
		{"short deadline", join.Options{Game: "echo", Deadline: time.Second}, join.ClassOK, "there rehearsal 1s 1s"},
		{"unknown game", join.Options{Game: "chess"}, join.ClassInternal, `"chess"`},
		{"long name", join.Options{Game: "echo", Name: strings.Repeat("x", 17)}, join.ClassInternal, "longer than 16"},
		{"negative deadline", join.Options{Game: "echo", Deadline: -1}, join.ClassInternal, "must be positive"},
		{"negative hold", join.Options{Game: "echo", Hold: -1}, join.ClassInternal, "hold"},
		{"endless hold", join.Options{Game: "echo", Hold: 2 * time.Hour}, join.ClassInternal, "hold"},
		{"short marker", join.Options{Game: "echo", SetMarker: "0123"}, join.ClassInternal, "marker to set"},
		{"upper-case marker", join.Options{Game: "echo", WantMarker: "0123456789ABCDEF"}, join.ClassInternal, "wanted marker"},
		{"invalid trace", join.Options{Game: "echo", WantTrace: "0123456789abcdeg"}, join.ClassInternal, "wanted trace"},
	}
	for _, test := range tests {
		got := join.Probe(t.Context(), "there", test.options)
		if got.Class != test.class || !strings.Contains(got.Evidence, test.evidence) {
			t.Errorf("%s: got %+v, want %q with %q", test.name, got, test.class, test.evidence)
		}
	}
}

// TestJSON pins the field names that receipts and scripts rely on.
func TestJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(join.Probe(t.Context(), "there", join.Options{Game: "echo"}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"depth":"JOINED","class":"ok","stage":"","evidence":"there rehearsal 15s 5s","keepAlives":0,"saved":false,"millis":"0","stages":[]}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRegisterTwice(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a second game of the same name was registered")
		}
	}()
	join.Register(echo{})
}
