package minecraft

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	pk "github.com/Tnze/go-mc/net/packet"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

const (
	maxStatus  = 256 << 10 // bytes of a status answer: an icon makes up most of it
	maxVersion = 128       // limit of the version's name in bytes
)

func (s *session) handshake(protocolNumber int, next int32) error {
	return s.conn.Send(protocol.HandshakeIntent, pk.VarInt(protocolNumber), pk.String(s.server.host),
		pk.UnsignedShort(s.server.port), pk.VarInt(next))
}

// status asks the server for its status, as the client's list of servers does, on a separate connection. It reserves
// part of the session's time to ask a silent peer whether it is an HTTP server. A player with a given protocol goes on
// without an answer.
func (s *session) status(address string) error {
	ctx, cancel := context.WithDeadline(s.ctx, s.until(s.options.Stage))
	defer cancel()
	target, err := resolve(ctx, address)
	if err != nil {
		return err
	}
	s.server = target
	s.options.Stage = min(s.options.Stage, s.options.Deadline*2/3)
	err = s.query()
	if err == nil || s.result.Depth != join.Nothing || s.ctx.Err() != nil {
		return err
	}
	f, ok := err.(*failure)
	if !ok {
		f = s.classify(err)
	}
	err = s.nameHTTP(f)
	if s.options.Protocol != 0 && hidesStatus(err) {
		s.options.Progress("status", fmt.Sprintf("none: trying protocol %d", s.options.Protocol))
		return nil
	}
	return err
}

// hidesStatus reports whether a peer behaves like a game with its status disabled (enable-status=false).
func hidesStatus(err error) bool {
	f, ok := err.(*failure)
	return ok && (f.class == join.ClassClosed || f.class == join.ClassNoAnswer)
}

func (s *session) query() error {
	if err := s.connect(s.options.Protocol, protocol.NextStatus); err != nil {
		return err
	}
	if err := s.conn.Send(protocol.StatusRequest); err != nil {
		return err
	}
	packet, err := s.conn.Receive()
	if err != nil {
		return err
	}
	if err := s.readStatus(packet); err != nil {
		return err
	}
	s.result.Depth = join.Query
	return s.ping()
}

func (s *session) readStatus(packet wire.Packet) error {
	if packet.ID != protocol.StatusResponse {
		return fmt.Errorf("%w: packet %#02x instead of the status", wire.ErrMalformed, packet.ID)
	}
	fields := packet.Fields()
	text := fields.String(maxStatus)
	if err := fields.Err(); err != nil {
		return err
	}
	number, name, err := parseStatus(text)
	if err != nil {
		return err
	}
	s.result.Protocol, s.result.Version = number, name
	s.options.Progress("status", fmt.Sprintf("%s, protocol %d", name, number))
	return nil
}

// parseStatus reads the version from a status answer.
func parseStatus(text string) (number int, name string, err error) {
	var status struct {
		Version *struct {
			Name     string `json:"name"`
			Protocol *int32 `json:"protocol"`
		} `json:"version"`
	}
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		return 0, "", fmt.Errorf("%w: status: %w", wire.ErrMalformed, err)
	}
	if status.Version == nil || status.Version.Protocol == nil {
		return 0, "", fmt.Errorf("%w: status names no protocol version", wire.ErrMalformed)
	}
	return int(*status.Version.Protocol), clean(status.Version.Name, maxVersion), nil
}

// ping makes the server repeat a number, which a canned status cannot.
func (s *session) ping() error {
	number := time.Now().UnixNano()
	if err := s.conn.Send(protocol.StatusPing, pk.Long(number)); err != nil {
		return err
	}
	packet, err := s.conn.Receive()
	if err != nil {
		return err
	}
	if packet.ID != protocol.StatusPing || packet.Fields().Long() != number {
		return failed(join.ClassMalformed, "wrong answer to the status ping (packet %#02x)", packet.ID)
	}
	return nil
}

// clean makes untrusted text printable: at most n bytes, no control characters.
func clean(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "?"))
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
