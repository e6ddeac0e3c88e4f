package minecraft

import (
	"fmt"

	pk "github.com/Tnze/go-mc/net/packet"
	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

// configure goes through the configuration state. A player who only sets blocks needs nothing of what the server sends
// (registries, tags, features).
func (s *session) configure() error {
	if err := s.sendInformation(); err != nil {
		return err
	}
	for {
		packet, err := s.conn.Receive()
		if err != nil {
			return err
		}
		if packet.ID == s.version.Config.Finish {
			return s.conn.Send(s.version.Config.FinishAnswer)
		}
		if err := s.configurePacket(packet); err != nil {
			return err
		}
	}
}

func (s *session) sendInformation() error {
	const (
		viewDistance = 2
		chatEnabled  = 0
		allSkinParts = 0x7f
		rightHand    = 1
		allParticles = 0
	)
	fields := []pk.FieldEncoder{
		pk.String("en_us"), pk.Byte(viewDistance), pk.VarInt(chatEnabled), pk.Boolean(true),
		pk.UnsignedByte(allSkinParts), pk.VarInt(rightHand), pk.Boolean(false), pk.Boolean(true),
	}
	if s.version.Particles() {
		fields = append(fields, pk.VarInt(allParticles))
	}
	return s.conn.Send(protocol.ConfigInformation, fields...)
}

func (s *session) configurePacket(packet wire.Packet) error {
	ids := s.version.Config
	switch packet.ID {
	case ids.KeepAlive:
		return s.echo(packet, 8, ids.KeepAliveAnswer)
	case ids.Ping:
		return s.echo(packet, 4, ids.Pong)
	case ids.KnownPacks:
		return s.conn.Send(ids.KnownPacksAnswer, pk.VarInt(0)) // none, so that the server sends everything
	case ids.Cookie:
		return s.answerCookie(packet, ids.CookieAnswer)
	case ids.ResourcePack:
		return s.takeResourcePack(packet, ids.ResourcePackAnswer)
	case ids.CodeOfConduct:
		return s.conn.Send(ids.CodeOfConductAnswer)
	case ids.Disconnect:
		return s.kicked(packet)
	}
	return nil
}

// echo answers with the first width bytes of the packet.
func (s *session) echo(packet wire.Packet, width int, answer int32) error {
	fields := packet.Fields()
	data := fields.Bytes(width)
	if err := fields.Err(); err != nil {
		return err
	}
	return s.conn.Send(answer, pk.PluginMessageData(data))
}

// takeResourcePack says that the player has loaded a pack, since a server may insist on one.
func (s *session) takeResourcePack(packet wire.Packet, answer int32) error {
	const (
		loaded   = 0
		accepted = 3
	)
	var id []pk.FieldEncoder
	if s.version.ResourcePackIDs() {
		fields := packet.Fields()
		id = append(id, pk.UUID(uuid.UUID(fields.UUID())))
		if err := fields.Err(); err != nil {
			return err
		}
	}
	for _, state := range []pk.VarInt{accepted, loaded} {
		if err := s.conn.Send(answer, append(id, state)...); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) kicked(packet wire.Packet) error {
	return failed(join.ClassKicked, "the server kicked the player: %q", s.text(packet.Fields()))
}

// maxComponent is the largest text component in bytes that is decoded: people read only its first words.
const maxComponent = 256 << 10

// text reads a text component in the version's form.
func (s *session) text(fields *wire.Fields) string {
	if s.version.NBTText() {
		data := fields.NBT()
		if len(data) > maxComponent {
			return fmt.Sprintf("(%d bytes of text)", len(data))
		}
		return clean(tag.Text(data), maxWords)
	}
	return clean(tag.TextJSON(fields.String(maxStatus)), maxWords)
}
