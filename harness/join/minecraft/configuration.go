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

// configure goes through the configuration state. Of what the server has to tell a client (registries, tags,
// features) a player who only places blocks needs nothing.
func (v *visit) configure() error {
	if err := v.sendInformation(); err != nil {
		return err
	}
	for {
		packet, err := v.conn.Receive()
		if err != nil {
			return err
		}
		if packet.ID == v.version.Config.Finish {
			return v.conn.Send(v.version.Config.FinishAnswer)
		}
		if err := v.configurePacket(packet); err != nil {
			return err
		}
	}
}

func (v *visit) sendInformation() error {
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
	if v.version.Particles() {
		fields = append(fields, pk.VarInt(allParticles))
	}
	return v.conn.Send(protocol.ConfigInformation, fields...)
}

func (v *visit) configurePacket(packet wire.Packet) error {
	ids := v.version.Config
	switch packet.ID {
	case ids.KeepAlive:
		return v.echo(packet, 8, ids.KeepAliveAnswer)
	case ids.Ping:
		return v.echo(packet, 4, ids.Pong)
	case ids.KnownPacks:
		return v.conn.Send(ids.KnownPacksAnswer, pk.VarInt(0)) // none: the server is to send everything
	case ids.Cookie:
		return v.answerCookie(packet, ids.CookieAnswer)
	case ids.ResourcePack:
		return v.takeResourcePack(packet, ids.ResourcePackAnswer)
	case ids.CodeOfConduct:
		return v.conn.Send(ids.CodeOfConductAnswer)
	case ids.Disconnect:
		return v.kicked(packet)
	}
	return nil
}

// echo answers with the first width bytes of the packet.
func (v *visit) echo(packet wire.Packet, width int, answer int32) error {
	fields := packet.Fields()
	data := fields.Bytes(width)
	if err := fields.Err(); err != nil {
		return err
	}
	return v.conn.Send(answer, pk.PluginMessageData(data))
}

// takeResourcePack claims to have loaded a pack, as a server may insist on one.
func (v *visit) takeResourcePack(packet wire.Packet, answer int32) error {
	const (
		loaded   = 0
		accepted = 3
	)
	var id []pk.FieldEncoder
	if v.version.ResourcePackIDs() {
		fields := packet.Fields()
		id = append(id, pk.UUID(uuid.UUID(fields.UUID())))
		if err := fields.Err(); err != nil {
			return err
		}
	}
	for _, state := range []pk.VarInt{accepted, loaded} {
		if err := v.conn.Send(answer, append(id, state)...); err != nil {
			return err
		}
	}
	return nil
}

func (v *visit) kicked(packet wire.Packet) error {
	return failed(join.ClassKicked, "the server threw the player out: %q", v.text(packet.Fields()))
}

// maxComponent is how many bytes of a text component are worth decoding: people read the first words of it.
const maxComponent = 256 << 10

// text reads a text component in the version's form.
func (v *visit) text(fields *wire.Fields) string {
	if v.version.NBTText() {
		data := fields.NBT()
		if len(data) > maxComponent {
			return fmt.Sprintf("(%d bytes of text)", len(data))
		}
		return clean(tag.Text(data), maxWords)
	}
	return clean(tag.TextJSON(fields.String(maxStatus)), maxWords)
}
