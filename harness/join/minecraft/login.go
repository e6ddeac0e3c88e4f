package minecraft

import (
	"fmt"
	"strings"

	pk "github.com/Tnze/go-mc/net/packet"
	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

const (
	maxReason   = 32 << 10 // bytes of the reason for a refusal
	maxWords    = 512      // bytes of a server's words that are kept
	maxName     = 64       // bytes of a player's name as the server repeats it
	maxProperty = 32 << 10 // bytes of a property of the player's profile
)

// login logs the player in. A server whose version is not in the table is taken as far as that is possible.
func (v *visit) login() error {
	number := v.options.Protocol
	if number == 0 {
		number = v.result.Protocol
	}
	version, known := protocol.Find(number)
	v.version = version
	if err := v.connect(number, protocol.NextLogin); err != nil {
		return err
	}
	// The id is a random one: an offline server answers with the one that it derives from the name (see summary).
	if err := v.conn.Send(protocol.LoginStart, pk.String(v.options.Name), pk.UUID(uuid.New())); err != nil {
		return err
	}
	if err := v.awaitLogin(number, known); err != nil {
		return err
	}
	if !known {
		return failed(join.ClassProtocol, "the login was answered, but protocol %d (%s) is not one of %d to %d",
			number, v.result.Version, protocol.First, protocol.Last)
	}
	return v.conn.Send(protocol.LoginAcknowledged)
}

func (v *visit) awaitLogin(number int, known bool) error {
	for {
		packet, err := v.conn.Receive()
		if err != nil {
			return err
		}
		if packet.ID == protocol.LoginDisconnect {
			return v.refused(packet, number)
		}
		v.result.Depth = join.Partial
		switch packet.ID {
		case protocol.LoginEncryption:
			return failed(join.ClassOnlineMode, "the server is in online mode: it wants a player with an account")
		case protocol.LoginCompression:
			err = v.compress(packet)
		case protocol.LoginPlugin:
			err = v.conn.Send(protocol.LoginPluginAnswer, pk.VarInt(packet.Fields().VarInt()), pk.Boolean(false))
		case protocol.LoginCookie:
			err = v.answerCookie(packet, protocol.LoginCookieAnswer)
		case protocol.LoginSuccess:
			if !known { // other versions lay it out in their own way
				return nil
			}
			return v.loggedIn(packet)
		default:
			err = fmt.Errorf("%w: packet %#02x in the login", wire.ErrMalformed, packet.ID)
		}
		if err != nil {
			return err
		}
	}
}

func (v *visit) compress(packet wire.Packet) error {
	fields := packet.Fields()
	threshold := fields.VarInt()
	v.conn.Compress(int(threshold))
	return fields.Err()
}

// answerCookie says that the player has no such cookie.
func (v *visit) answerCookie(packet wire.Packet, answer int32) error {
	fields := packet.Fields()
	key := fields.String(maxReason)
	if err := fields.Err(); err != nil {
		return err
	}
	return v.conn.Send(answer, pk.String(key), pk.Boolean(false))
}

func (v *visit) loggedIn(packet wire.Packet) error {
	fields := packet.Fields()
	id := fields.UUID()
	name := fields.String(maxName)
	for range fields.Count(3) { // name, value, whether there is a signature
		fields.String(maxProperty)
		fields.String(maxProperty)
		if fields.Bool() {
			fields.String(maxProperty)
		}
	}
	if v.version.StrictErrors() {
		fields.Bool()
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("login success: %w", err)
	}
	if id == uuid.Nil {
		return failed(join.ClassMalformed, "the server gave %q no id", name)
	}
	if !strings.EqualFold(name, v.options.Name) {
		return failed(join.ClassMalformed, "the server let in %q, not %q", name, v.options.Name)
	}
	v.result.Player = id.String()
	return nil
}

// refused tells a server that speaks another version from one that wants this player not to come in.
func (v *visit) refused(packet wire.Packet, number int) error {
	fields := packet.Fields()
	reason := fields.String(maxReason)
	if err := fields.Err(); err != nil {
		return err
	}
	text := clean(tag.TextJSON(reason), maxWords)
	for _, key := range []string{"incompatible", "outdated_client", "outdated_server", "Outdated"} {
		if strings.Contains(text, key) {
			return failed(join.ClassProtocol, "protocol %d was refused: %q", number, text)
		}
	}
	if _, known := protocol.Find(number); !known {
		return failed(join.ClassProtocol, "protocol %d (%s) is not one of %d to %d, and the login was refused: %q",
			number, v.result.Version, protocol.First, protocol.Last, text)
	}
	return failed(join.ClassRefused, "the login was refused: %q", text)
}
