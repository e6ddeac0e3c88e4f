package minecraft_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/play"
	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/world"
	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
)

// serve lets players of one version into a fresh world until the test ends.
func serve(t testing.TB, version protocol.Version) string {
	t.Helper()
	w, err := world.Open(world.Options{Dir: t.TempDir(), Name: "world", Format: world.Format{
		Game: version.Game, DataVersion: version.DataVersion, Components: version.Number >= 766,
	}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &play.Server{World: w, Version: version, Logf: func(string, ...any) {}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("server of %d: %v", version.Number, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// TestEveryVersion joins a server of each version twice: the second session finds the first one's trace.
func TestEveryVersion(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		t.Run(fmt.Sprint(version.Number), func(t *testing.T) {
			t.Parallel()
			address := serve(t, version)
			options := join.Options{SetMarker: marker, Edit: true, Hold: 50 * time.Millisecond}
			first := join.Probe(t.Context(), address, options)
			if first.Depth != join.Held || first.Class != join.ClassOK || first.Protocol != version.Number || first.Version != version.Game {
				t.Fatalf("first session: %+v", first)
			}
			if first.KeepAlives == 0 || first.Player != offlineID {
				t.Errorf("first session answered %d keep-alives as %s", first.KeepAlives, first.Player)
			}
			second := join.Probe(t.Context(), address, join.Options{WantMarker: marker, WantTrace: first.Left, Edit: true})
			if second.Depth != join.Held || second.Class != join.ClassOK || second.Left == first.Left {
				t.Errorf("second session: %+v", second)
			}
		})
	}
}

// offlineID is the ID of a player named "rehearsal" on every offline server: UUID v3 of "OfflinePlayer:rehearsal".
const offlineID = "f48d4835-91a9-3f01-a6fb-c31c4a00437e"

// TestOtherVersionThanTheServers joins as a player whose game was not updated with the server.
func TestOtherVersionThanTheServers(t *testing.T) {
	t.Parallel()
	version, _ := protocol.Find(767)
	address := serve(t, version)
	for _, number := range []int{764, 775, 47} {
		result := join.Probe(t.Context(), address, join.Options{Protocol: number, Edit: true})
		if result.Depth != join.Query || result.Class != join.ClassProtocol {
			t.Errorf("as %d: %+v", number, result)
		}
	}
}

// TestDepthWithoutAnEdit: a visitor who only looks gets no further than JOINED.
func TestDepthWithoutAnEdit(t *testing.T) {
	t.Parallel()
	version, _ := protocol.Find(764)
	result := join.Probe(t.Context(), serve(t, version), join.Options{Hold: 10 * time.Millisecond})
	if result.Depth != join.Joined || result.Class != join.ClassOK || result.AtLeast(join.Held) {
		t.Errorf("got %+v", result)
	}
}
