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
	maxVersion = 128       // bytes of the version's name that are kept
)

func (v *visit) handshake(protocolNumber int, next int32) error {
	return v.conn.Send(protocol.HandshakeIntent, pk.VarInt(protocolNumber), pk.String(v.server.host),
		pk.UnsignedShort(v.server.port), pk.VarInt(next))
}

// status asks the server what it is, as the client's list of servers does, on a connection of its own. Part of the
// visit's time is kept back for asking a silent peer whether it is an HTTP server. A player who was told which protocol
// to speak goes on without an answer.
func (v *visit) status(address string) error {
	ctx, cancel := context.WithDeadline(v.ctx, v.until(v.options.Stage))
	defer cancel()
	target, err := resolve(ctx, address)
	if err != nil {
		return err
	}
	v.server = target
	v.options.Stage = min(v.options.Stage, v.options.Deadline*2/3)
	err = v.query()
	if err == nil || v.result.Depth != join.Nothing || v.ctx.Err() != nil {
		return err
	}
	f, ok := err.(*failure)
	if !ok {
		f = v.classify(err)
	}
	err = v.nameHTTP(f)
	if v.options.Protocol != 0 && hidesStatus(err) {
		v.options.Progress("status", fmt.Sprintf("none: protocol %d is tried", v.options.Protocol))
		return nil
	}
	return err
}

// hidesStatus says whether a peer behaves as a game does whose status is switched off (enable-status=false).
func hidesStatus(err error) bool {
	f, ok := err.(*failure)
	return ok && (f.class == join.ClassClosed || f.class == join.ClassNoAnswer)
}

func (v *visit) query() error {
	if err := v.connect(v.options.Protocol, protocol.NextStatus); err != nil {
		return err
	}
	if err := v.conn.Send(protocol.StatusRequest); err != nil {
		return err
	}
	packet, err := v.conn.Receive()
	if err != nil {
		return err
	}
	if err := v.readStatus(packet); err != nil {
		return err
	}
	v.result.Depth = join.Query
	return v.ping()
}

func (v *visit) readStatus(packet wire.Packet) error {
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
	v.result.Protocol, v.result.Version = number, name
	v.options.Progress("status", fmt.Sprintf("%s, protocol %d", name, number))
	return nil
}

// parseStatus reads the version out of a status answer.
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

// ping has the server repeat a number, which a canned status cannot.
func (v *visit) ping() error {
	number := time.Now().UnixNano()
	if err := v.conn.Send(protocol.StatusPing, pk.Long(number)); err != nil {
		return err
	}
	packet, err := v.conn.Receive()
	if err != nil {
		return err
	}
	if packet.ID != protocol.StatusPing || packet.Fields().Long() != number {
		return failed(join.ClassMalformed, "the status ping was answered wrongly (packet %#02x)", packet.ID)
	}
	return nil
}

// clean makes a stranger's words fit to print: at most n bytes, no control characters.
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
