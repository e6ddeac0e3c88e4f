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

// hold stays in the world for the time asked, which the visit's deadline does not count.
func (v *visit) hold() error {
	if v.options.Hold == 0 {
		return nil
	}
	v.deadline = v.deadline.Add(v.options.Hold)
	end := time.Now().Add(v.options.Hold)
	_ = v.conn.SetDeadline(end)
	for time.Now().Before(end) {
		packet, err := v.conn.Receive()
		if isTimeout(err) {
			return nil
		}
		if err != nil {
			return err
		}
		v.limit(v.options.Stage) // what the packet asks for is not cut off by the end of the hold
		if err := v.playPacket(packet); err != nil {
			return err
		}
		_ = v.conn.SetDeadline(end)
	}
	return nil
}

// edit changes blocks and waits until the server confirms each. It comes after the hold, so that it shows that the
// game was still alive at the end of it. At its end the world is looked at once more: what was there on arrival may have
// gone since.
func (v *visit) edit() error {
	if v.options.SetMarker != "" {
		if err := v.place(&v.view.marker, v.options.SetMarker, markerZ); err != nil {
			return err
		}
	}
	if v.options.Edit {
		trace := newTrace(v.result.Found)
		if err := v.place(&v.view.trace, trace, traceZ); err != nil {
			return err
		}
		v.result.Left = trace
	}
	if err := v.lookForMarker(cmp.Or(v.options.SetMarker, v.options.WantMarker)); err != nil {
		return err
	}
	if v.edits > 0 {
		v.result.Depth = join.Held
	}
	return nil
}

// place has the server set the blocks of a row. Of one that is so already the server confirms nothing; it is asked for
// all the same, since what the game has made of the row elsewhere may not be so.
func (v *visit) place(seen *row, digits string, z int) error {
	want := rowOf(digits, v.version)
	changes := 0
	for x, state := range want {
		if seen[x] != state {
			changes++
		}
		colour, _ := v.version.Colour(state)
		command := fmt.Sprintf("setblock %d %d %d minecraft:%s_wool", x, rowY, z, protocol.Colours[colour])
		if err := v.command(command); err != nil {
			return err
		}
	}
	for *seen != want {
		packet, err := v.conn.Receive()
		if isTimeout(err) {
			return failed(join.ClassEditRefused, "the server did not confirm the blocks of %q", digits)
		}
		if err != nil {
			return err
		}
		if err := v.playPacket(packet); err != nil {
			return err
		}
	}
	v.edits += changes
	return nil
}

// command sends a chat command, unsigned: blocks need no signature.
func (v *visit) command(command string) error {
	id := v.version.ToServer.Command
	if v.version.PlainCommands() {
		return v.conn.Send(id, pk.String(command))
	}
	const acknowledged = 3 // bytes of a bit set of 20 messages seen
	return v.conn.Send(id, pk.String(command), pk.Long(time.Now().UnixMilli()), pk.Long(0),
		pk.VarInt(0), pk.VarInt(0), pk.PluginMessageData(make([]byte, acknowledged)))
}

// newTrace makes a trace that differs from the one found in every digit, so that each block of it is an edit.
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

// save has the game write its world to disk.
func (v *visit) save() error {
	if v.options.RCON == nil {
		return nil
	}
	ctx, cancel := context.WithDeadline(v.ctx, v.until(v.options.Stage))
	defer cancel()
	client, err := rcon.Dial(ctx, *v.options.RCON)
	if err != nil {
		return failed(join.ClassNotSaved, "%v", err)
	}
	defer client.Close()
	if err := client.Flush(ctx); err != nil {
		return failed(join.ClassNotSaved, "%v", err)
	}
	v.result.Saved = true
	return nil
}

// summary says in a line what the visit has shown.
func (v *visit) summary() string {
	r := v.result
	parts := []string{fmt.Sprintf("player %s in %s (%d)", r.Player, r.Version, r.Protocol)}
	if r.Player != uuid.UUID(offline.NameToUUID(v.options.Name)).String() {
		parts = append(parts, "not the id of an offline player of that name")
	}
	if r.Marker != "" {
		parts = append(parts, "marker "+r.Marker)
	}
	if v.options.Hold > 0 {
		parts = append(parts, fmt.Sprintf("held %s", v.options.Hold))
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
