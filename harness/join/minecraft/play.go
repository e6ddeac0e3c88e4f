package minecraft

import (
	"fmt"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// worldPatience is how long a session that does not need the marker waits for the marker's chunk.
const worldPatience = 2 * time.Second

// play waits until the player is in the world and sees it. A proxy may send the player back to configuration for
// another server behind it.
func (s *session) play() error {
	if err := s.awaitWorld(); err != nil {
		return err
	}
	if s.view.loaded {
		s.result.Found = s.view.trace.digits(s.version)
	}
	if err := s.lookForMarker(s.options.WantMarker); err != nil {
		return err
	}
	if want := s.options.WantTrace; want != "" && s.result.Found != want {
		return failed(join.ClassTraceLost, "the world holds the trace %q, not %q", s.result.Found, want)
	}
	return nil
}

// lookForMarker reads the marker as the player sees it now, and compares it with want; "" accepts any.
func (s *session) lookForMarker(want string) error {
	if s.view.loaded {
		s.result.Marker = s.view.marker.digits(s.version)
	}
	if want != "" && s.result.Marker != want {
		return failed(join.ClassMarkerLost, "the world holds the marker %q, not %q", s.result.Marker, want)
	}
	return nil
}

func (s *session) awaitWorld() error {
	var patience time.Time
	for !s.view.loaded {
		packet, err := s.conn.Receive()
		if err != nil {
			return s.withoutWorld(err, patience)
		}
		if err := s.playPacket(packet); err != nil {
			return s.withoutWorld(err, patience)
		}
		inWorld := s.result.Depth.AtLeast(join.Joined) && s.view.chunks > 0
		if inWorld && patience.IsZero() && !s.needsWorld() {
			patience = s.until(worldPatience)
			_ = s.conn.SetDeadline(patience)
		}
	}
	if !s.result.Depth.AtLeast(join.Joined) {
		return fmt.Errorf("%w: a chunk came before the player was in play", wire.ErrMalformed)
	}
	return nil
}

func (s *session) needsWorld() bool {
	o := s.options
	return o.WantMarker != "" || o.WantTrace != "" || o.SetMarker != "" || o.Edit
}

// withoutWorld returns the failure for a missing chunk 0,0, if it is one.
func (s *session) withoutWorld(err error, patience time.Time) error {
	if !isTimeout(err) || !s.result.Depth.AtLeast(join.Joined) {
		return err
	}
	if !patience.IsZero() && !time.Now().Before(patience) {
		return nil
	}
	return failed(join.ClassNoWorld, "in play, but only %d chunks came, and not the one at 0,0", s.view.chunks)
}

// playPacket answers each packet as a player does.
func (s *session) playPacket(packet wire.Packet) error {
	ids, answers := s.version.ToClient, s.version.ToServer
	switch packet.ID {
	case ids.Login:
		return s.enter(packet)
	case ids.KeepAlive:
		s.result.KeepAlives++
		return s.echo(packet, 8, answers.KeepAlive)
	case ids.Ping:
		return s.echo(packet, 4, answers.Pong)
	case ids.Position:
		return s.teleport(packet)
	case ids.Chunk:
		return s.view.readChunk(packet, s.version)
	case ids.BatchEnd:
		const chunksPerTick = 20
		return s.conn.Send(answers.BatchReceived, pk.Float(chunksPerTick))
	case ids.Block:
		return s.blockChanged(packet)
	case ids.Blocks:
		return s.blocksChanged(packet)
	case ids.Health:
		return s.respawn(packet)
	case ids.SystemChat:
		s.lastSay = s.text(packet.Fields())
	case ids.Disconnect:
		return s.kicked(packet)
	case ids.Cookie:
		return s.answerCookie(packet, answers.CookieAnswer)
	case ids.ResourcePack:
		return s.takeResourcePack(packet, answers.ResourcePackAnswer)
	case ids.Configure:
		return s.configureAgain()
	case ids.Transfer:
		return failed(join.ClassKicked, "the server transfers its players to another server")
	}
	return nil
}

// enter records that the server has put the player into its world.
func (s *session) enter(packet wire.Packet) error {
	fields := packet.Fields()
	fields.Int()  // entity id
	fields.Bool() // hardcore
	for range fields.Count(1) {
		fields.String(maxName * 4) // names of its worlds
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("login to play: %w", err)
	}
	s.result.Depth = join.Joined
	s.options.Progress("play", "in the world as "+s.result.Player)
	return nil
}

func (s *session) configureAgain() error {
	s.view = view{}
	if err := s.conn.Send(s.version.ToServer.ConfigureAnswer); err != nil {
		return err
	}
	return s.configure()
}

// teleport confirms the position that the server assigns, and moves the player there.
func (s *session) teleport(packet wire.Packet) error {
	fields := packet.Fields()
	var id int32
	if s.version.Velocity() {
		id = fields.VarInt()
	}
	x, y, z := fields.Double(), fields.Double(), fields.Double()
	if !s.version.Velocity() {
		fields.Bytes(4 + 4 + 1) // yaw, pitch, flags
		id = fields.VarInt()
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("position: %w", err)
	}
	ids := s.version.ToServer
	if err := s.conn.Send(ids.Teleport, pk.VarInt(id)); err != nil {
		return err
	}
	if ids.Loaded >= 0 {
		if err := s.conn.Send(ids.Loaded); err != nil {
			return err
		}
	}
	return s.conn.Send(ids.Move, pk.Double(x), pk.Double(y), pk.Double(z), pk.Boolean(true))
}

func (s *session) blockChanged(packet wire.Packet) error {
	fields := packet.Fields()
	at, state := fields.Position(), fields.VarInt()
	if err := fields.Err(); err != nil {
		return fmt.Errorf("block change: %w", err)
	}
	s.view.set(at, state)
	return nil
}

// blocksChanged reads several changes within one section.
func (s *session) blocksChanged(packet wire.Packet) error {
	fields := packet.Fields()
	section := fields.Long() // x and z of 22 bits each, then y of 20
	base := wire.Position{X: int(section>>42) * 16, Y: int(section<<44>>44) * 16, Z: int(section<<22>>42) * 16}
	for range fields.Count(1) {
		change := fields.VarLong() // block state above four bits each of x, z, y
		s.view.set(wire.Position{
			X: base.X + int(change>>8&15), Y: base.Y + int(change&15), Z: base.Z + int(change>>4&15),
		}, int32(change>>12))
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("block changes: %w", err)
	}
	return nil
}

// respawn revives a player who was dead in the world.
func (s *session) respawn(packet wire.Packet) error {
	const performRespawn = 0
	fields := packet.Fields()
	if health := fields.Float(); fields.Err() != nil || health > 0 {
		return fields.Err()
	}
	return s.conn.Send(s.version.ToServer.Respawn, pk.VarInt(performRespawn))
}
