package minecraft_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
)

// withoutStatus runs a proxy in front of a game that hides its status: it hangs up on status requests, or leaves them
// waiting.
func withoutStatus(t *testing.T, game string, silent bool) string {
	t.Helper()
	return listen(t, func(visitor net.Conn) {
		if err := forward(t.Context(), visitor, game, silent); err != nil {
			t.Errorf("forward: %v", err)
		}
	})
}

func forward(ctx context.Context, visitor net.Conn, game string, silent bool) error {
	greeting := make([]byte, 1)
	if _, err := io.ReadFull(visitor, greeting); err != nil {
		return nil // the HTTP request of nameHTTP, or a closed connection
	}
	rest := make([]byte, greeting[0])
	if _, err := io.ReadFull(visitor, rest); err != nil {
		return nil
	}
	if next := int32(rest[len(rest)-1]); next != protocol.NextLogin {
		if silent {
			_, _ = io.Copy(io.Discard, visitor) // until the visitor gives up
		}
		return nil
	}
	behind, err := new(net.Dialer).DialContext(ctx, "tcp", game)
	if err != nil {
		return err
	}
	defer behind.Close()
	if _, err := behind.Write(append(greeting, rest...)); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(behind, visitor)
		behind.Close()
	}()
	if _, err := io.Copy(visitor, behind); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset by peer") {
		return err
	}
	return nil
}

// TestStatusSwitchedOff: a player who knows the protocol needs no status; without it no player can guess the protocol.
func TestStatusSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]bool{"hangs up": false, "is silent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := gametest.Start(t, gametest.A, gametest.NewVolumes(t))
			address := withoutStatus(t, server.Address, silent)
			options := join.Options{Deadline: 30 * time.Second, Stage: 3 * time.Second, Edit: true}
			if got := join.Probe(t.Context(), address, options); got.Depth != join.Nothing || got.Stage != "status" {
				t.Errorf("without a protocol: %+v", got)
			}
			options.Protocol = 764
			if got := join.Probe(t.Context(), address, options); !got.AtLeast(join.Held) {
				t.Errorf("with the protocol: %+v\n%s", got, server.Log())
			}
			options.Protocol = 767
			if got := join.Probe(t.Context(), address, options); got.Depth.AtLeast(join.Joined) || got.Stage != "login" {
				t.Errorf("with another protocol: %+v", got)
			}
		})
	}
}
