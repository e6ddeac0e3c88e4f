package minecraft

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// vectors holds the packets of one version as another implementation writes them, keyed by "receiver state name".
type vectors map[string][]byte

func readVectors(t testing.TB, version protocol.Version) vectors {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "packets", fmt.Sprintf("%d.txt", version.Number)))
	if err != nil {
		t.Fatal(err)
	}
	v := vectors{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			t.Fatalf("vector %.80q: want four fields", line)
		}
		data, err := decodeVector(fields[3])
		if err != nil {
			t.Fatalf("vector %.80q: %v", line, err)
		}
		v[strings.Join(fields[:3], " ")] = data
	}
	return v
}

func decodeVector(text string) ([]byte, error) {
	packed, isPacked := strings.CutPrefix(text, "z:")
	if !isPacked {
		return hex.DecodeString(text)
	}
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, err
	}
	reader, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// packet returns the named vector as a received packet.
func (v vectors) packet(t *testing.T, name string) wire.Packet {
	t.Helper()
	data, ok := v["client "+name]
	if !ok {
		t.Fatalf("no vector for %q", name)
	}
	fields := wire.NewFields(data)
	id := fields.VarInt()
	return wire.Packet{ID: id, Data: fields.Rest()}
}

// sink is a connection that records what is written to it.
type sink struct {
	net.Conn
	written bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error)      { return s.written.Write(p) }
func (s *sink) Read([]byte) (int, error)         { return 0, io.EOF }
func (s *sink) SetDeadline(time.Time) error      { return nil }
func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func sessionOf(version protocol.Version) (*session, *sink) {
	s := &sink{}
	v := &session{ctx: context.Background(), version: version, conn: wire.NewConn(s)}
	v.options.Progress = func(string, string) {}
	v.result.Protocol = version.Number
	return v, s
}

// sent splits the session's output into packets.
func (s *sink) sent(t *testing.T) [][]byte {
	t.Helper()
	fields := wire.NewFields(s.written.Bytes())
	var packets [][]byte
	for fields.Remaining() > 0 {
		packets = append(packets, fields.Bytes(int(fields.VarInt())))
	}
	if err := fields.Err(); err != nil {
		t.Fatal(err)
	}
	s.written.Reset()
	return packets
}

// TestAnswers feeds the probe packets of another implementation's server, and compares its answers with those of that
// implementation's client.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		t.Run(fmt.Sprint(version.Number), func(t *testing.T) {
			t.Parallel()
			packets := readVectors(t, version)
			tests := []struct {
				packet  string
				handle  func(*session, wire.Packet) error
				answers []string
			}{
				{"configuration keep_alive", (*session).configurePacket, []string{"configuration keep_alive"}},
				{"configuration ping", (*session).configurePacket, []string{"configuration pong"}},
				{"configuration select_known_packs", (*session).configurePacket, []string{"configuration select_known_packs"}},
				{"configuration cookie_request", (*session).configurePacket, []string{"configuration cookie_response"}},
				{"play position", (*session).playPacket, []string{"play teleport_confirm", "play player_loaded", "play position"}},
				{"play keep_alive", (*session).playPacket, []string{"play keep_alive"}},
				{"play ping", (*session).playPacket, []string{"play pong"}},
				{"play chunk_batch_finished", (*session).playPacket, []string{"play chunk_batch_received"}},
				{"play update_health", (*session).playPacket, []string{"play client_command"}},
				{"play login", (*session).playPacket, nil},
			}
			for _, test := range tests {
				if _, has := packets["client "+test.packet]; !has && !version.SplitRegistries() {
					continue // this version does not have the packet
				}
				v, s := sessionOf(version)
				if err := test.handle(v, packets.packet(t, test.packet)); err != nil {
					t.Errorf("%s: %v", test.packet, err)
				}
				compareSent(t, test.packet, s.sent(t), packets, test.answers)
			}
		})
	}
}

func compareSent(t *testing.T, packet string, sent [][]byte, packets vectors, answers []string) {
	t.Helper()
	var want [][]byte
	for _, name := range answers {
		if data, has := packets["server "+name]; has {
			want = append(want, data)
		}
	}
	if len(sent) != len(want) {
		t.Errorf("%s: answered with %d packets, want %d", packet, len(sent), len(want))
		return
	}
	for i := range want {
		if !bytes.Equal(sent[i], want[i]) {
			t.Errorf("%s: answer %d is %x, want %x", packet, i, sent[i], want[i])
		}
	}
}

func TestClientInformation(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		v, s := sessionOf(version)
		if err := v.sendInformation(); err != nil {
			t.Fatal(err)
		}
		compareSent(t, fmt.Sprint(version.Number), s.sent(t), readVectors(t, version), []string{"configuration settings"})
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		v, s := sessionOf(version)
		if err := v.command("setblock 1 2 3 stone"); err != nil {
			t.Fatal(err)
		}
		got, want := s.sent(t)[0], readVectors(t, version)["server play chat_command"]
		if len(got) != len(want) {
			t.Fatalf("%d: command is %x, want %x", version.Number, got, want)
		}
		if !version.PlainCommands() { // the timestamp differs
			at := 1 + 1 + len("setblock 1 2 3 stone")
			copy(want[at:at+8], got[at:at+8])
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d: command is %x, want %x", version.Number, got, want)
		}
	}
}

// TestWorldVectors reads blocks from chunks and changes that another implementation wrote.
func TestWorldVectors(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		t.Run(fmt.Sprint(version.Number), func(t *testing.T) {
			t.Parallel()
			packets := readVectors(t, version)
			v, _ := sessionOf(version)
			v.result.Depth = join.Joined
			for _, name := range []string{"play map_chunk", "play block_change", "play multi_block_change"} {
				if err := v.playPacket(packets.packet(t, name)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			// The changes put lime (5) at 3 and pink (6) at 4 of the marker, and gray (7) at 5 of the trace.
			if got, want := v.view.marker.digits(version), "fed56a9876543210"; got != want {
				t.Errorf("marker %q, want %q", got, want)
			}
			if got, want := v.view.trace.digits(version), "0123476789abcdef"; got != want {
				t.Errorf("trace %q, want %q", got, want)
			}
		})
	}
}

func TestKickVectors(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		packets := readVectors(t, version)
		v, _ := sessionOf(version)
		if err := v.playPacket(packets.packet(t, "play system_chat")); err != nil || v.lastSay != "hello" {
			t.Errorf("%d: chat %q, %v", version.Number, v.lastSay, err)
		}
		for _, err := range []error{
			v.playPacket(packets.packet(t, "play kick_disconnect")),
			v.configurePacket(packets.packet(t, "configuration disconnect")),
			v.refused(packets.packet(t, "login disconnect"), version.Number),
		} {
			f, ok := errors.AsType[*failure](err)
			if !ok || f.class != join.ClassKicked && f.class != join.ClassProtocol || !strings.Contains(f.evidence, `"`) {
				t.Errorf("%d: got %v", version.Number, err)
			}
		}
	}
}

func TestLoginVectors(t *testing.T) {
	t.Parallel()
	for _, version := range protocol.All() {
		packets := readVectors(t, version)
		v, _ := sessionOf(version)
		v.options.Name = "rehearsal"
		if err := v.loggedIn(packets.packet(t, "login success")); err != nil {
			t.Errorf("%d: %v", version.Number, err)
		}
		if want := "069a79f4-44e9-4726-a5be-fca90e38aaf5"; v.result.Player != want {
			t.Errorf("%d: player %q, want %q", version.Number, v.result.Player, want)
		}
		if id := packets.packet(t, "configuration finish_configuration").ID; id != version.Config.Finish {
			t.Errorf("%d: configuration finishes with %#02x, want %#02x", version.Number, version.Config.Finish, id)
		}
		if id := packets.packet(t, "play start_configuration").ID; id != version.ToClient.Configure {
			t.Errorf("%d: configuration starts with %#02x, want %#02x", version.Number, version.ToClient.Configure, id)
		}
	}
}
