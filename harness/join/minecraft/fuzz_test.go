package minecraft

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// FuzzStatus: a status names a version in printable words, or is refused.
func FuzzStatus(f *testing.F) {
	f.Add(`{"version":{"name":"1.20.2","protocol":764},"players":{"max":20,"online":0}}`)
	f.Add("{\"version\":{\"name\":\"\x1b[2J\",\"protocol\":1e9}}")
	f.Add(`{"version":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, name, err := parseStatus(text)
		if err != nil && !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("error %v is not %v", err, wire.ErrMalformed)
		}
		if len(name) > maxVersion || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("name %q is not fit to print", name)
		}
	})
}

// FuzzPackets: a packet of any version makes the player give up at worst.
func FuzzPackets(f *testing.F) {
	for _, version := range protocol.All() {
		for name, data := range readVectors(f, version) {
			if to, rest, _ := strings.Cut(name, " "); to == "client" {
				state, _, _ := strings.Cut(rest, " ")
				f.Add(version.Number, state == "play", data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, number int, inPlay bool, data []byte) {
		version, known := protocol.Find(number)
		if !known {
			return
		}
		fields := wire.NewFields(data)
		packet := wire.Packet{ID: fields.VarInt(), Data: fields.Rest()}
		if fields.Err() != nil || packet.ID < 0 {
			return
		}
		v, _ := sessionOf(version)
		handle := v.configurePacket
		if inPlay {
			v.result.Depth = join.Joined
			handle = v.playPacket
		}
		if err := handle(packet); err != nil {
			v.fail(err)
		}
		if v.result.Class == join.ClassInternal {
			t.Errorf("packet %#02x: %s", packet.ID, v.result.Evidence)
		}
	})
}
