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
	maxWords    = 512      // limit of a server's text in bytes
	maxName     = 64       // bytes of a player's name as the server repeats it
	maxProperty = 32 << 10 // bytes of a property of the player's profile
)

// login logs the player in. With a server of an unknown version it goes as far as possible.
func (s *session) login() error {
	number := s.options.Protocol
	if number == 0 {
		number = s.result.Protocol
	}
	version, known := protocol.Find(number)
	s.version = version
	if err := s.connect(number, protocol.NextLogin); err != nil {
		return err
	}
	// The ID is random: an offline server answers with the ID that it derives from the name (see summary).
	if err := s.conn.Send(protocol.LoginStart, pk.String(s.options.Name), pk.UUID(uuid.New())); err != nil {
		return err
	}
	if err := s.awaitLogin(number, known); err != nil {
		return err
	}
	if !known {
		return failed(join.ClassProtocol, "the login was answered, but protocol %d (%s) is not one of %d to %d",
			number, s.result.Version, protocol.First, protocol.Last)
	}
	return s.conn.Send(protocol.LoginAcknowledged)
}

func (s *session) awaitLogin(number int, known bool) error {
	for {
		packet, err := s.conn.Receive()
		if err != nil {
			return err
		}
		if packet.ID == protocol.LoginDisconnect {
			return s.refused(packet, number)
		}
		s.result.Depth = join.Partial
		switch packet.ID {
		case protocol.LoginEncryption:
			return failed(join.ClassOnlineMode, "the server is in online mode: it wants a player with an account")
		case protocol.LoginCompression:
			err = s.compress(packet)
		case protocol.LoginPlugin:
			err = s.conn.Send(protocol.LoginPluginAnswer, pk.VarInt(packet.Fields().VarInt()), pk.Boolean(false))
		case protocol.LoginCookie:
			err = s.answerCookie(packet, protocol.LoginCookieAnswer)
		case protocol.LoginSuccess:
			if !known { // other versions have another layout
				return nil
			}
			return s.loggedIn(packet)
		default:
			err = fmt.Errorf("%w: packet %#02x in the login", wire.ErrMalformed, packet.ID)
		}
		if err != nil {
			return err
		}
	}
}

func (s *session) compress(packet wire.Packet) error {
	fields := packet.Fields()
	threshold := fields.VarInt()
	s.conn.Compress(int(threshold))
	return fields.Err()
}

// answerCookie says that the player does not have the cookie.
func (s *session) answerCookie(packet wire.Packet, answer int32) error {
	fields := packet.Fields()
	key := fields.String(maxReason)
	if err := fields.Err(); err != nil {
		return err
	}
	return s.conn.Send(answer, pk.String(key), pk.Boolean(false))
}

func (s *session) loggedIn(packet wire.Packet) error {
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
	if s.version.StrictErrors() {
		fields.Bool()
	}
	if err := fields.Err(); err != nil {
		return fmt.Errorf("login success: %w", err)
	}
	if id == uuid.Nil {
		return failed(join.ClassMalformed, "the server gave %q no ID", name)
	}
	if !strings.EqualFold(name, s.options.Name) {
		return failed(join.ClassMalformed, "the server let in %q, not %q", name, s.options.Name)
	}
	s.result.Player = id.String()
	return nil
}

// refused distinguishes a server of another version from one that refuses this player.
func (s *session) refused(packet wire.Packet, number int) error {
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
			number, s.result.Version, protocol.First, protocol.Last, text)
	}
	return failed(join.ClassRefused, "the login was refused: %q", text)
}
