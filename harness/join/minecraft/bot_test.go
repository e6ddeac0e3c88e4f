package minecraft_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/Tnze/go-mc/bot"
	"github.com/Tnze/go-mc/bot/basic"
	"github.com/Tnze/go-mc/data/packetid"
	mcnet "github.com/Tnze/go-mc/net"
	pk "github.com/Tnze/go-mc/net/packet"
	"github.com/Tnze/go-mc/offline"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
)

// deadlineDialer bounds the whole session: go-mc's bot would wait forever.
type deadlineDialer struct{ deadline time.Time }

func (d deadlineDialer) DialMCContext(ctx context.Context, address string) (*mcnet.Conn, error) {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := raw.SetDeadline(d.deadline); err != nil {
		return nil, err
	}
	return mcnet.WrapConn(raw), nil
}

// TestForeignClient joins the fixture with a client from outside this project: go-mc's, which speaks protocol 764.
func TestForeignClient(t *testing.T) {
	t.Parallel()
	server := gametest.Start(t, gametest.A, gametest.NewVolumes(t))

	client := bot.NewClient()
	client.Auth = bot.Auth{Name: "foreigner"}
	var started bool
	var stands [3]float64
	chunks := 0
	var player *basic.Player
	player = basic.NewPlayer(client, basic.DefaultSettings, basic.EventsListener{
		GameStart: func() error { started = true; return nil },
		Teleported: func(x, y, z float64, _, _ float32, _ byte, id int32) error {
			stands = [3]float64{x, y, z}
			return player.AcceptTeleportation(pk.VarInt(id))
		},
	})
	client.Events.AddListener(
		bot.PacketHandler{ID: packetid.ClientboundLevelChunkWithLight, F: func(pk.Packet) error { chunks++; return nil }},
		bot.PacketHandler{ID: packetid.ClientboundChunkBatchFinished, F: func(pk.Packet) error { return errSeenAll }},
	)
	err := client.JoinServerWithOptions(server.Address, bot.JoinOptions{
		MCDialer: deadlineDialer{time.Now().Add(10 * time.Second)}, Context: t.Context(), NoPublicKey: true,
	})
	if err != nil {
		t.Fatalf("join: %v\n%s", err, server.Log())
	}
	defer client.Close()
	if err := client.HandleGame(); !errors.Is(err, errSeenAll) {
		t.Fatalf("play: %v\n%s", err, server.Log())
	}
	if !started || stands != [3]float64{8.5, -60, 8.5} || chunks != 4 {
		t.Errorf("started %t, stands at %v, sees %d chunks", started, stands, chunks)
	}
	if want := offline.NameToUUID("foreigner"); client.UUID != want {
		t.Errorf("player's id is %s, want %s", client.UUID, want)
	}
}

// errSeenAll ends the bot's loop once the server has sent the whole world.
var errSeenAll = errors.New("seen all")
