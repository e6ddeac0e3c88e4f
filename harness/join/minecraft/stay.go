package minecraft

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"
	"github.com/Tnze/go-mc/offline"
	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/rcon"
)

// hold stays in the world for the requested time, which does not count against the session's deadline.
func (s *session) hold() error {
	if s.options.Hold == 0 {
		return nil
	}
	s.deadline = s.deadline.Add(s.options.Hold)
	end := time.Now().Add(s.options.Hold)
	_ = s.conn.SetDeadline(end)
	for time.Now().Before(end) {
		packet, err := s.conn.Receive()
		if isTimeout(err) {
			return nil
		}
		if err != nil {
			return err
		}
		s.limit(s.options.Stage) // the end of the hold must not cut off the answer to a packet
		if err := s.playPacket(packet); err != nil {
			return err
		}
		_ = s.conn.SetDeadline(end)
	}
	return nil
}

// edit changes blocks and waits until the server confirms each change. It comes after the hold, so that it shows that
// the game is still alive then. At its end it looks at the world again: content that was there on arrival may be gone.
func (s *session) edit() error {
	if s.options.SetMarker != "" {
		if err := s.setRow(&s.view.marker, s.options.SetMarker, markerZ); err != nil {
			return err
		}
	}
	if s.options.Edit {
		trace := newTrace(s.result.Found)
		if err := s.setRow(&s.view.trace, trace, traceZ); err != nil {
			return err
		}
		s.result.Left = trace
	}
	if err := s.lookForMarker(cmp.Or(s.options.SetMarker, s.options.WantMarker)); err != nil {
		return err
	}
	if s.edits > 0 {
		s.result.Depth = join.Held
	}
	return nil
}

// setRow makes the server set the blocks of a row. The server confirms nothing for a block that has its state already.
// The command is sent anyway, since the game's other data may differ from what the player sees.
func (s *session) setRow(seen *row, digits string, z int) error {
	want := rowOf(digits, s.version)
	changes := 0
	for x, state := range want {
		if seen[x] != state {
			changes++
		}
		colour, _ := s.version.Colour(state)
		command := fmt.Sprintf("setblock %d %d %d minecraft:%s_wool", x, rowY, z, protocol.Colours[colour])
		if err := s.command(command); err != nil {
			return err
		}
	}
	for *seen != want {
		packet, err := s.conn.Receive()
		if isTimeout(err) {
			return failed(join.ClassEditRefused, "the server did not confirm the blocks of %q", digits)
		}
		if err != nil {
			return err
		}
		if err := s.playPacket(packet); err != nil {
			return err
		}
	}
	s.edits += changes
	return nil
}

// command sends an unsigned chat command: setting blocks needs no signature.
func (s *session) command(command string) error {
	id := s.version.ToServer.Command
	if s.version.PlainCommands() {
		return s.conn.Send(id, pk.String(command))
	}
	const acknowledged = 3 // bytes of a bit set of 20 messages seen
	return s.conn.Send(id, pk.String(command), pk.Long(time.Now().UnixMilli()), pk.Long(0),
		pk.VarInt(0), pk.VarInt(0), pk.PluginMessageData(make([]byte, acknowledged)))
}

// newTrace makes a trace that differs in every digit from the found one, so that each of its blocks is an edit.
func newTrace(found string) string {
	var random [join.MarkerDigits / 2]byte
	_, _ = rand.Read(random[:]) // never fails
	trace := []byte(hex.EncodeToString(random[:]))
	for i := range trace {
		if found != "" && trace[i] == found[i] {
			trace[i] = hexDigits[(strings.IndexByte(hexDigits, trace[i])+1)%len(hexDigits)]
		}
	}
	return string(trace)
}

// save makes the game write its world to disk.
func (s *session) save() error {
	if s.options.RCON == nil {
		return nil
	}
	ctx, cancel := context.WithDeadline(s.ctx, s.until(s.options.Stage))
	defer cancel()
	client, err := rcon.Dial(ctx, *s.options.RCON)
	if err != nil {
		return failed(join.ClassNotSaved, "%v", err)
	}
	defer client.Close()
	if err := client.Flush(ctx); err != nil {
		return failed(join.ClassNotSaved, "%v", err)
	}
	s.result.Saved = true
	return nil
}

// summary describes in one line what the session showed.
func (s *session) summary() string {
	r := s.result
	parts := []string{fmt.Sprintf("player %s in %s (%d)", r.Player, r.Version, r.Protocol)}
	if r.Player != uuid.UUID(offline.NameToUUID(s.options.Name)).String() {
		parts = append(parts, "not the ID of an offline player of that name")
	}
	if r.Marker != "" {
		parts = append(parts, "marker "+r.Marker)
	}
	if s.options.Hold > 0 {
		parts = append(parts, fmt.Sprintf("held %s", s.options.Hold))
	}
	parts = append(parts, fmt.Sprintf("%d keep-alives", r.KeepAlives))
	if r.Depth == join.Held {
		parts = append(parts, "edit confirmed")
	} else {
		parts = append(parts, "no edit made")
	}
	if r.Saved {
		parts = append(parts, "saved")
	}
	return strings.Join(parts, ", ")
}
