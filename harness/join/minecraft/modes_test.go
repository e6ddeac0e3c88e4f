package minecraft_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/game"
	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
	_ "github.com/GameplanePanel/rehearsal/harness/join/minecraft"
	"github.com/GameplanePanel/rehearsal/harness/rcon"
	"github.com/GameplanePanel/rehearsal/harness/save"
)

const marker = "0123456789abcdef"

// season gives the volumes a world of game A with the player's marker.
func season(t *testing.T, volumes gametest.Volumes) {
	t.Helper()
	server := gametest.Start(t, gametest.A, volumes)
	result := join.Probe(t.Context(), server.Address, join.Options{SetMarker: marker, RCON: &server.Console})
	if !result.AtLeast(join.Held) {
		t.Fatalf("season: %+v\n%s", result, server.Log())
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
}

// playTwice joins, holds, edits, saves, and joins again after a restart to look for its trace.
func playTwice(t *testing.T, identity game.Identity, volumes gametest.Volumes, options join.Options) (first, second join.Result) {
	t.Helper()
	options.Hold, options.Edit = time.Second, true
	if identity.Mode == game.HTTPOnly || identity.Mode == game.SlowStart {
		options.Deadline = time.Second // these modes stay silent until the deadline
	}
	server := gametest.Try(t, identity, volumes)
	first = join.Probe(t.Context(), server.Address, options)
	if first.Class == join.ClassOK {
		if err := flush(t.Context(), server.Console); err != nil {
			t.Fatal(err)
		}
		_ = server.Stop() // another test checks its error
		server = gametest.Try(t, identity, volumes)
		if options.WantMarker != "" {
			options.WantTrace = first.Left
		}
		second = join.Probe(t.Context(), server.Address, options)
	}
	_ = server.Stop()
	return first, second
}

func flush(ctx context.Context, console rcon.Target) error {
	client, err := rcon.Dial(ctx, console)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Flush(ctx)
}

// TestModes lists what a player and the volumes show of each mode. No two modes look the same.
func TestModes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode          game.Mode
		depth         join.Depth
		first, second join.Class // before and after a restart; "" if the first session failed
		lost          save.Loss
	}{
		{game.OK, join.Held, join.ClassOK, join.ClassOK, save.LossNone},
		{game.CrashLoop, join.Nothing, join.ClassConnect, "", save.LossNone},
		{game.HTTPOnly, join.Nothing, join.ClassHTTP, "", save.LossNone},
		{game.StatusOnly, join.Query, join.ClassRefused, "", save.LossNone},
		{game.WrongProtocol, join.Query, join.ClassProtocol, "", save.LossNone},
		{game.SlowStart, join.Nothing, join.ClassNoAnswer, "", save.LossNone},
		{game.ReadyThenDies, join.Nothing, join.ClassClosed, "", save.LossNone},
		{game.JoinsThenDies, join.Joined, join.ClassLost, "", save.LossNone},
		{game.NoSave, join.Held, join.ClassOK, join.ClassTraceLost, save.LossNone},
		{game.FreshWorld, join.Joined, join.ClassMarkerLost, "", save.LossNone},
		{game.LosesExtra, join.Held, join.ClassOK, join.ClassOK, save.LossExtra},
		{game.LosesChunks, join.Held, join.ClassOK, join.ClassOK, save.LossChunks},
	}
	if len(tests) != len(game.Modes) {
		t.Errorf("the table has %d modes of %d", len(tests), len(game.Modes))
	}
	looks := map[string]game.Mode{}
	for _, test := range tests {
		look := fmt.Sprint(test.first, test.second, test.lost)
		if other, taken := looks[look]; taken {
			t.Errorf("%s looks like %s", test.mode, other)
		}
		looks[look] = test.mode
		t.Run(string(test.mode), func(t *testing.T) {
			t.Parallel()
			volumes := gametest.NewVolumes(t)
			season(t, volumes)
			before := observe(t, volumes)
			first, second := playTwice(t, gametest.With(gametest.A, test.mode), volumes, join.Options{WantMarker: marker})
			if first.Class != test.first || first.Depth != test.depth {
				t.Errorf("first session ended with %q at depth %q, want %q at %q: %s",
					first.Class, first.Depth, test.first, test.depth, first.Evidence)
			}
			if second.Class != test.second {
				t.Errorf("second session ended with %q, want %q: %s", second.Class, test.second, second.Evidence)
			}
			if lost := save.Lost(before, observe(t, volumes)); lost != test.lost {
				t.Errorf("the volumes lost %q, want %q", lost, test.lost)
			}
		})
	}
}

func observe(t *testing.T, volumes gametest.Volumes) save.Observation {
	t.Helper()
	observation, err := save.Observe(t.Context(), map[string]string{"primary": volumes.Data, "extra": volumes.Extra})
	if err != nil {
		t.Fatal(err)
	}
	return observation
}

// TestOnlyReadingBackTells: for a player who does not look for an earlier trace, these modes are a good game.
func TestOnlyReadingBackTells(t *testing.T) {
	t.Parallel()
	for _, mode := range []game.Mode{game.NoSave, game.FreshWorld} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			volumes := gametest.NewVolumes(t)
			season(t, volumes)
			first, second := playTwice(t, gametest.With(gametest.A, mode), volumes, join.Options{})
			if !first.AtLeast(join.Held) || !second.AtLeast(join.Held) {
				t.Errorf("sessions ended with %+v and %+v", first, second)
			}
		})
	}
}

// TestHTTPServesMarker: HTTP serves the marker, and nobody can play.
func TestHTTPServesMarker(t *testing.T) {
	t.Parallel()
	volumes := gametest.NewVolumes(t)
	if err := os.WriteFile(filepath.Join(volumes.Data, save.MarkerFile), []byte(marker+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := gametest.Start(t, gametest.With(gametest.A, game.HTTPOnly), volumes)
	result := join.Probe(t.Context(), server.Address, join.Options{Deadline: 2 * time.Second, Stage: 200 * time.Millisecond})
	if result.Class != join.ClassHTTP || result.HTTP != marker || result.Depth != join.Nothing {
		t.Errorf("got %+v", result)
	}
}
