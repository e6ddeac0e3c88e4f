package minecraft

import (
	"fmt"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// worldPatience is how long a visit that does not need the marker waits for the chunk that would hold it.
const worldPatience = 2 * time.Second

// play waits until the player is in the world and sees it. A proxy may send the player back to be configured
// once more, for another server behind it.
func (v *visit) play() error {
	if err := v.awaitWorld(); err != nil {
		return err
	}
	if v.view.loaded {
		v.result.Found = v.view.trace.digits(v.version)
	}
	if err := v.lookForMarker(v.options.WantMarker); err != nil {
		return err
	}
	if want := v.options.WantTrace; want != "" && v.result.Found != want {
		return failed(join.ClassTraceLost, "the world holds the trace %q, not %q", v.result.Found, want)
	}
	return nil
}

// lookForMarker reads the marker as the player sees it now, and wants it to be as given; "" takes any.
func (v *visit) lookForMarker(want string) error {
	if v.view.loaded {
		v.result.Marker = v.view.marker.digits(v.version)
	}
	if want != "" && v.result.Marker != want {
		return failed(join.ClassMarkerLost, "the world holds the marker %q, not %q", v.result.Marker, want)
	}
	return nil
}

func (v *visit) awaitWorld() error {
	var patience time.Time
	for !v.view.loaded {
		packet, err := v.conn.Receive()
		if err != nil {
			return v.withoutWorld(err, patience)
		}
		if err := v.playPacket(packet); err != nil {
			return v.withoutWorld(err, patience)
		}
		inWorld := v.result.Depth.AtLeast(join.Joined) && v.view.chunks > 0
		if inWorld && patience.IsZero() && !v.needsWorld() {
			patience = v.until(worldPatience)
			_ = v.conn.SetDeadline(patience)
		}
	}
	if !v.result.Depth.AtLeast(join.Joined) {
		return fmt.Errorf("%w: a chunk came before the player was in play", wire.ErrMalformed)
	}
	return nil
}

func (v *visit) needsWorld() bool {
	o := v.options
	return o.WantMarker != "" || o.WantTrace != "" || o.SetMarker != "" || o.Edit
}

// withoutWorld says what it means that chunk 0,0 did not come.
func (v *visit) withoutWorld(err error, patience time.Time) error {
	if !isTimeout(err) || !v.result.Depth.AtLeast(join.Joined) {
		return err
	}
	if !patience.IsZero() && !time.Now().Before(patience) {
		return nil
	}
	return failed(join.ClassNoWorld, "in play, but of the world only %d chunks came, and not the one at 0,0", v.view.chunks)
}

// playPacket does what each packet asks of the player.
func (v *visit) playPacket(packet wire.Packet) error {
	ids, answers := v.version.ToClient, v.version.ToServer
	switch packet.ID {
	case ids.Login:
		return v.enter(packet)
	case ids.KeepAlive:
		v.result.KeepAlives++
		return v.echo(packet, 8, answers.KeepAlive)
	case ids.Ping:
		return v.echo(packet, 4, answers.Pong)
	case ids.Position:
		return v.teleport(packet)
	case ids.Chunk:
		return v.view.readChunk(packet, v.version)
	case ids.BatchEnd:
		const chunksPerTick = 20
		return v.conn.Send(answers.BatchReceived, pk.Float(chunksPerTick))
	case ids.Block:
		return v.blockChanged(packet)
	case ids.Blocks:
		return v.blocksChanged(packet)
	case ids.Health:
		return v.respawn(packet)
	case ids.SystemChat:
		v.lastSay = v.text(packet.Fields())
	case ids.Disconnect:
		return v.kicked(packet)
	case ids.Cookie:
		return v.answerCookie(packet, answers.CookieAnswer)
	case ids.ResourcePack:
		return v.takeResourcePack(packet, answers.ResourcePackAnswer)
	case ids.Configure:
		return v.configureAgain()
	case ids.Transfer:
		return failed(join.ClassKicked, "the server sends its players to another one")
	}
	return nil
}

// enter notes that the server has put the player into its world.
func (v *visit) enter(packet wire.Packet) error {
	fields := packet.Fields()
	fields.Int()  // entity id
	fields.Bool() // hardcore
	for range fields.Count(1) {
		fields.String(maxName * 4) // names of its worlds
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("login to play: %w", err)
	}
	v.result.Depth = join.Joined
	v.options.Progress("play", "in the world as "+v.result.Player)
	return nil
}

func (v *visit) configureAgain() error {
	v.view = view{}
	if err := v.conn.Send(v.version.ToServer.ConfigureAnswer); err != nil {
		return err
	}
	return v.configure()
}

// teleport confirms where the server puts the player, and stands there.
func (v *visit) teleport(packet wire.Packet) error {
	fields := packet.Fields()
	var id int32
	if v.version.Velocity() {
		id = fields.VarInt()
	}
	x, y, z := fields.Double(), fields.Double(), fields.Double()
	if !v.version.Velocity() {
		fields.Bytes(4 + 4 + 1) // yaw, pitch, flags
		id = fields.VarInt()
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("position: %w", err)
	}
	ids := v.version.ToServer
	if err := v.conn.Send(ids.Teleport, pk.VarInt(id)); err != nil {
		return err
	}
	if ids.Loaded >= 0 {
		if err := v.conn.Send(ids.Loaded); err != nil {
			return err
		}
	}
	return v.conn.Send(ids.Move, pk.Double(x), pk.Double(y), pk.Double(z), pk.Boolean(true))
}

func (v *visit) blockChanged(packet wire.Packet) error {
	fields := packet.Fields()
	at, state := fields.Position(), fields.VarInt()
	if err := fields.Err(); err != nil {
		return fmt.Errorf("block change: %w", err)
	}
	v.view.set(at, state)
	return nil
}

// blocksChanged reads several changes within one section.
func (v *visit) blocksChanged(packet wire.Packet) error {
	fields := packet.Fields()
	section := fields.Long() // x and z of 22 bits each, then y of 20
	base := wire.Position{X: int(section>>42) * 16, Y: int(section<<44>>44) * 16, Z: int(section<<22>>42) * 16}
	for range fields.Count(1) {
		change := fields.VarLong() // block state above four bits each of x, z, y
		v.view.set(wire.Position{
			X: base.X + int(change>>8&15), Y: base.Y + int(change&15), Z: base.Z + int(change>>4&15),
		}, int32(change>>12))
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("block changes: %w", err)
	}
	return nil
}

// respawn brings a player back who was left dead in the world.
func (v *visit) respawn(packet wire.Packet) error {
	const performRespawn = 0
	fields := packet.Fields()
	if health := fields.Float(); fields.Err() != nil || health > 0 {
		return fields.Err()
	}
	return v.conn.Send(v.version.ToServer.Respawn, pk.VarInt(performRespawn))
}
