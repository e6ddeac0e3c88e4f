package protocol_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
)

// TestReleases checks the table against the published numbers of the releases.
func TestReleases(t *testing.T) {
	t.Parallel()
	type release struct {
		Number      int
		Game        string
		DataVersion int
	}
	want := []release{
		{764, "1.20.2", 3578}, {765, "1.20.4", 3700}, {766, "1.20.6", 3839}, {767, "1.21.1", 3955},
		{768, "1.21.3", 4082}, {769, "1.21.4", 4189}, {770, "1.21.5", 4325}, {771, "1.21.6", 4435},
		{772, "1.21.8", 4440}, {773, "1.21.10", 4556}, {774, "1.21.11", 4671}, {775, "26.1.2", 4790},
	}
	var got []release
	for _, v := range protocol.All() {
		got = append(got, release{v.Number, v.Game, v.DataVersion})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for number := protocol.First; number <= protocol.Last; number++ {
		if v, ok := protocol.Find(number); !ok || v.Number != number {
			t.Errorf("Find(%d) = %d, %t", number, v.Number, ok)
		}
	}
	for _, number := range []int{-1, 0, 47, protocol.First - 1, protocol.Last + 1} {
		if v, ok := protocol.Find(number); ok {
			t.Errorf("Find(%d) = %+v", number, v)
		}
	}
}

// TestIDsAreDistinct: no two packets of one state and direction share an ID.
func TestIDsAreDistinct(t *testing.T) {
	t.Parallel()
	for _, v := range protocol.All() {
		c, s, g := v.ToClient, v.ToServer, v.Config
		for name, ids := range map[string][]int32{
			"configuration to the client": {g.Cookie, g.Disconnect, g.Finish, g.KeepAlive, g.Ping, g.Registry, g.ResourcePack, g.KnownPacks, g.CodeOfConduct},
			"configuration to the server": {protocol.ConfigInformation, g.CookieAnswer, g.FinishAnswer, g.KeepAliveAnswer, g.Pong, g.ResourcePackAnswer, g.KnownPacksAnswer, g.CodeOfConductAnswer},
			"play to the client":          {c.BatchEnd, c.BatchStart, c.Block, c.Blocks, c.Chunk, c.Configure, c.Cookie, c.Disconnect, c.Health, c.KeepAlive, c.Login, c.Ping, c.Position, c.ResourcePack, c.SystemChat, c.Transfer},
			"play to the server":          {s.BatchReceived, s.Command, s.ConfigureAnswer, s.CookieAnswer, s.KeepAlive, s.Loaded, s.Move, s.MoveLook, s.Pong, s.ResourcePackAnswer, s.Respawn, s.Teleport},
		} {
			seen := map[int32]bool{}
			for _, id := range ids {
				if id != protocol.Absent && seen[id] {
					t.Errorf("%d: %s: id %#02x twice", v.Number, name, id)
				}
				seen[id] = true
			}
		}
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, v := range protocol.All() {
		for colour, name := range protocol.Colours {
			state, ok := v.Block("minecraft:" + name + "_wool")
			if !ok || state != v.Wool(colour) {
				t.Errorf("%d: %s wool is %d, %t", v.Number, name, state, ok)
			}
			if got, ok := v.Colour(state); !ok || got != colour {
				t.Errorf("%d: colour of %d is %d, %t, want %d", v.Number, state, got, ok, colour)
			}
		}
		for _, state := range []int32{-1, 0, v.Wool(0) - 1, v.Wool(15) + 1} {
			if colour, ok := v.Colour(state); ok {
				t.Errorf("%d: %d has colour %d", v.Number, state, colour)
			}
		}
		if _, ok := v.Block("minecraft:barrier"); ok {
			t.Errorf("%d: knows barriers", v.Number)
		}
	}
}
