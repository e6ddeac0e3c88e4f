package minecraft_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"
	"github.com/google/uuid"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

const (
	hostileStage    = 500 * time.Millisecond
	hostileDeadline = 1500 * time.Millisecond
	hostileSlack    = 5 * time.Second // a loaded machine's
	hostileMemory   = 64 << 20
)

// peer is the server's end of one connection of a hostile server.
type peer struct {
	raw     net.Conn
	conn    *wire.Conn
	version protocol.Version
	next    int32 // what the visitor came for: status or login
}

// errGone ends a peer's behaviour.
var errGone = errors.New("visitor is gone")

func (p *peer) send(id int32, fields ...pk.FieldEncoder) {
	if p.conn.Send(id, fields...) != nil {
		panic(errGone)
	}
}

func (p *peer) write(data []byte) {
	if _, err := p.raw.Write(data); err != nil {
		panic(errGone)
	}
}

func (p *peer) expect(id int32) wire.Packet {
	for {
		packet, err := p.conn.Receive()
		if err != nil {
			panic(errGone)
		}
		if packet.ID == id {
			return packet
		}
	}
}

// linger waits until the visitor hangs up.
func (p *peer) linger() { _, _ = io.Copy(io.Discard, p.raw) }

// status answers like a good server.
func (p *peer) status(number int) {
	p.send(protocol.StatusResponse, pk.String(fmt.Sprintf(`{"version":{"name":"hostile","protocol":%d}}`, number)))
	ping := p.expect(protocol.StatusPing)
	p.send(protocol.StatusPing, pk.Long(ping.Fields().Long()))
}

// toLogin brings the visitor to the login: the first connection gets a status, the second one logs in.
func (p *peer) toLogin() {
	if p.next == protocol.NextStatus {
		p.status(p.version.Number)
		panic(errGone)
	}
	p.expect(protocol.LoginStart)
}

func (p *peer) toConfiguration() {
	p.toLogin()
	fields := []pk.FieldEncoder{pk.UUID(uuid.New()), pk.String(join.DefaultPlayer), pk.VarInt(0)}
	if p.version.StrictErrors() {
		fields = append(fields, pk.Boolean(true))
	}
	p.send(protocol.LoginSuccess, fields...)
	p.expect(protocol.LoginAcknowledged)
}

func (p *peer) toPlay() {
	p.toConfiguration()
	p.send(p.version.Config.Finish)
	p.expect(p.version.Config.FinishAnswer)
	p.send(p.version.ToClient.Login, pk.Int(1), pk.Boolean(false), pk.VarInt(0))
}

// toWorld sends a chunk 0,0 of air.
func (p *peer) toWorld() {
	p.toPlay()
	airOf764 := make([]byte, 24*8) // a section: count, one block and no data, one biome and no data
	p.send(p.version.ToClient.Chunk, pk.Int(0), pk.Int(0), pk.PluginMessageData{10, 0}, pk.ByteArray(airOf764))
}

// flood sends one packet forever.
func (p *peer) flood(id int32, fields ...pk.FieldEncoder) {
	for {
		p.send(id, fields...)
	}
}

func frame(parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	var out bytes.Buffer
	_, _ = pk.VarInt(len(body)).WriteTo(&out)
	out.Write(body)
	return out.Bytes()
}

func varInt(n int) []byte {
	var out bytes.Buffer
	_, _ = pk.VarInt(n).WriteTo(&out)
	return out.Bytes()
}

func zlibZeroes(size int) []byte {
	var out bytes.Buffer
	writer, _ := zlib.NewWriterLevel(&out, zlib.BestSpeed) // the level exists
	_, _ = writer.Write(make([]byte, size))
	_ = writer.Close()
	return out.Bytes()
}

var twoGigabytes = []byte{0xff, 0xff, 0xff, 0xff, 0x07}

// hostile serves each connection with behave until the test ends.
func hostile(t *testing.T, number int, behave func(*peer)) string {
	t.Helper()
	return listen(t, func(raw net.Conn) { entertain(raw, number, behave) })
}

// listen serves each connection until the test ends and returns its address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer raw.Close()
				serve(raw)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return listener.Addr().String()
}

func entertain(raw net.Conn, number int, behave func(*peer)) {
	defer hangUp(raw)
	defer func() {
		if cause := recover(); cause != nil && cause != errGone {
			panic(cause)
		}
	}()
	_ = raw.SetDeadline(time.Now().Add(time.Minute))
	version, _ := protocol.Find(number)
	p := &peer{raw: raw, conn: wire.NewConn(raw), version: version}
	packet, err := p.conn.Receive()
	if err != nil {
		return
	}
	fields := packet.Fields()
	fields.VarInt()
	fields.String(300)
	fields.Short()
	p.next = fields.VarInt()
	behave(p)
}

// hangUp ends the connection so that all sent data still arrives: closing with unread data would reset the connection.
func hangUp(raw net.Conn) {
	_ = raw.(*net.TCPConn).CloseWrite() // fails if the visitor is gone
	_, _ = io.Copy(io.Discard, raw)
}

func TestHostilePeers(t *testing.T) {
	t.Parallel()
	bomb := frame(varInt(100), zlibZeroes(4<<20))
	deep := append([]byte{10}, bytes.Repeat([]byte{10, 0, 0}, 100_000)...)
	tests := []struct {
		name     string
		behave   func(*peer)
		depth    join.Depth
		class    join.Class
		evidence string
	}{
		{"silent", (*peer).linger, join.Nothing, join.ClassNoAnswer, "no answer came in time"},
		{"closes at once", func(*peer) {}, join.Nothing, join.ClassClosed, "without an answer"},
		{"HTTP error", func(p *peer) { p.write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, join.Nothing, join.ClassHTTP, "HTTP/1.1 400"},
		{"another protocol", func(p *peer) { p.write([]byte("SSH-2.0-OpenSSH_9.6\r\n")) }, join.Nothing, join.ClassNotGame, "SSH-2.0"},
		{"terminal codes", func(p *peer) { p.write([]byte("\x05\x1b[2Jx")) }, join.Nothing, join.ClassNotGame, `\x1b[2J`},
		{"2 GB status", func(p *peer) { p.write(twoGigabytes); p.linger() }, join.Nothing, join.ClassNotGame, "longer than"},
		{"endless slow bytes", func(p *peer) {
			p.write([]byte{0xff, 0xff, 0x7f})
			for {
				p.write([]byte{0})
				time.Sleep(5 * time.Millisecond) // the slowness is the point
			}
		}, join.Nothing, join.ClassNotGame, "i/o timeout"},
		{"closes in the middle of the status", func(p *peer) { p.write([]byte{99, 0, 80, '{'}) }, join.Nothing, join.ClassNotGame, "middle of a packet"},
		{"status is no JSON", func(p *peer) { p.send(protocol.StatusResponse, pk.String("{")); p.linger() }, join.Nothing, join.ClassNotGame, "status"},
		{"protocol of 250,000 digits", func(p *peer) {
			p.send(protocol.StatusResponse, pk.String(`{"version":{"name":"x","protocol":`+strings.Repeat("1", 250_000)+`}}`))
			p.linger()
		}, join.Nothing, join.ClassNotGame, "status"},
		{"status names no version", func(p *peer) { p.send(protocol.StatusResponse, pk.String("{}")); p.linger() }, join.Nothing, join.ClassNotGame, "no protocol version"},
		{"wrong packet for a status", func(p *peer) { p.send(7, pk.String("{}")); p.linger() }, join.Nothing, join.ClassNotGame, "0x07 instead of the status"},
		{"canned status", func(p *peer) {
			p.send(protocol.StatusResponse, pk.String(`{"version":{"name":"x","protocol":764}}`))
			p.send(protocol.StatusPing, pk.Long(1))
			p.linger()
		}, join.Query, join.ClassMalformed, "wrong answer to the status ping"},
		{"silent login", func(p *peer) { p.toLogin(); p.linger() }, join.Query, join.ClassTimeout, "login:"},
		{"2 GB in the login", func(p *peer) { p.toLogin(); p.write(twoGigabytes); p.linger() }, join.Query, join.ClassMalformed, "longer than"},
		{"closes in the middle of the login", func(p *peer) { p.toLogin(); p.write([]byte{99, 2, 1}) }, join.Query, join.ClassClosed, "closed the connection"},
		{"unknown packet in the login", func(p *peer) { p.toLogin(); p.send(0x70); p.linger() }, join.Partial, join.ClassMalformed, "0x70 in the login"},
		{"online mode", func(p *peer) { p.toLogin(); p.send(protocol.LoginEncryption); p.linger() }, join.Partial, join.ClassOnlineMode, "online mode"},
		{"endless questions in the login", func(p *peer) { p.toLogin(); p.flood(protocol.LoginPlugin, pk.VarInt(1), pk.String("a:b")) }, join.Partial, join.ClassTimeout, "login:"},
		{"gives no id", func(p *peer) {
			p.toLogin()
			p.send(protocol.LoginSuccess, pk.UUID{}, pk.String("x"), pk.VarInt(0))
			p.linger()
		}, join.Partial, join.ClassMalformed, "no ID"},
		{"lets somebody else in", func(p *peer) {
			p.toLogin()
			p.send(protocol.LoginSuccess, pk.UUID(uuid.New()), pk.String("notch"), pk.VarInt(0))
			p.linger()
		}, join.Partial, join.ClassMalformed, `"notch", not "rehearsal"`},
		{"bomb", func(p *peer) {
			p.toLogin()
			p.send(protocol.LoginCompression, pk.VarInt(64))
			p.write(bomb)
			p.linger()
		}, join.Partial, join.ClassMalformed, "inflate"},
		{"endless configuration", func(p *peer) { p.toConfiguration(); p.flood(p.version.Config.KeepAlive, pk.Long(1)) }, join.Partial, join.ClassTimeout, "configuration:"},
		{"endless big configuration", func(p *peer) {
			p.toConfiguration()
			p.flood(p.version.Config.Registry, pk.ByteArray(make([]byte, 1<<20)))
		}, join.Partial, join.ClassTimeout, "configuration:"},
		{"kicked in the configuration", func(p *peer) {
			p.toConfiguration()
			p.send(p.version.Config.Disconnect, pk.String(`{"text":"full"}`))
			p.linger()
		}, join.Partial, join.ClassKicked, "full"},
		{"configured for ever", func(p *peer) {
			p.toPlay()
			for {
				p.send(p.version.ToClient.Configure)
				p.send(p.version.Config.Finish)
			}
		}, join.Joined, join.ClassNoWorld, "0 chunks"},
		{"in play without a world", func(p *peer) { p.toPlay(); p.flood(p.version.ToClient.KeepAlive, pk.Long(1)) }, join.Joined, join.ClassNoWorld, "0 chunks"},
		{"chunk of nonsense", func(p *peer) {
			p.toPlay()
			p.send(p.version.ToClient.Chunk, pk.Int(0), pk.Int(0), pk.PluginMessageData("\x0a\x00"), pk.ByteArray{1, 2, 3})
			p.linger()
		}, join.Joined, join.ClassMalformed, "chunk 0,0"},
		{"chat as deep as the stack", func(p *peer) {
			p.toPlay()
			p.flood(p.version.ToClient.SystemChat, pk.PluginMessageData(deep), pk.Boolean(false))
		}, join.Joined, join.ClassNoWorld, "0 chunks"},
		{"kicked in play", func(p *peer) {
			p.toPlay()
			p.send(p.version.ToClient.Disconnect, pk.String(`{"translate":"disconnect.spam"}`))
			p.linger()
		}, join.Joined, join.ClassKicked, "disconnect.spam"},
		{"ignores edits", func(p *peer) { p.toWorld(); p.linger() }, join.Joined, join.ClassEditRefused, "did not confirm"},
		{"refuses edits", func(p *peer) {
			p.toWorld()
			p.expect(p.version.ToServer.Command)
			p.send(p.version.ToClient.SystemChat, pk.String(`{"text":"You are \u001b[31mno operator"}`), pk.Boolean(false))
			p.linger()
		}, join.Joined, join.ClassEditRefused, "no operator"},
		{"confirms another block", func(p *peer) {
			p.toWorld()
			for x := range 16 {
				p.expect(p.version.ToServer.Command)
				p.send(p.version.ToClient.Block, pk.Position{X: x, Y: 200, Z: 9}, pk.VarInt(1))
			}
			p.linger()
		}, join.Joined, join.ClassEditRefused, "did not confirm"},
		{"closes after the first edit", func(p *peer) { p.toWorld(); p.expect(p.version.ToServer.Command) }, join.Joined, join.ClassLost, "edit:"},
		{"closes in play", func(p *peer) { p.toPlay(); p.write([]byte{99, 1}) }, join.Joined, join.ClassLost, "lost"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			address := hostile(t, 764, test.behave)
			start := time.Now()
			result := join.Probe(t.Context(), address, join.Options{
				Stage: hostileStage, Deadline: hostileDeadline, Edit: true,
			})
			if took := time.Since(start); took > hostileDeadline+hostileSlack {
				t.Errorf("took %s, the deadline is %s", took, hostileDeadline)
			}
			if result.Depth != test.depth || result.Class != test.class {
				t.Errorf("came to %q at depth %q, want %q at %q", result.Class, result.Depth, test.class, test.depth)
			}
			if len(result.Evidence) > 2<<10 {
				t.Errorf("evidence of %d bytes", len(result.Evidence))
			}
			if !strings.Contains(result.Evidence, test.evidence) || strings.ContainsAny(result.Evidence, "\x1b\n\t") {
				t.Errorf("evidence %q, want %q in a clean line", result.Evidence, test.evidence)
			}
		})
	}
}

// TestEditsThatDoNotLast: a world that is emptied while the player is in it does not count as kept.
func TestEditsThatDoNotLast(t *testing.T) {
	t.Parallel()
	address := hostile(t, 764, func(p *peer) {
		p.toWorld()
		wool := func(x, z int, digit byte) {
			p.send(p.version.ToClient.Block, pk.Position{X: x, Y: 200, Z: z}, pk.VarInt(p.version.Wool(strings.IndexByte("0123456789abcdef", digit))))
		}
		for x := range marker {
			p.expect(p.version.ToServer.Command)
			wool(x, 8, marker[x])
		}
		for x := range 16 { // the trace, each block in the requested colour
			fields := p.expect(p.version.ToServer.Command).Fields()
			command := fields.String(256)
			for digit, colour := range protocol.Colours {
				if strings.HasSuffix(command, "minecraft:"+colour+"_wool") {
					wool(x, 9, "0123456789abcdef"[digit])
				}
			}
			p.send(p.version.ToClient.Block, pk.Position{X: 3, Y: 200, Z: 8}, pk.VarInt(0))
		}
		p.linger()
	})
	result := join.Probe(t.Context(), address, join.Options{SetMarker: marker, Edit: true})
	if result.Class != join.ClassMarkerLost || result.Depth != join.Joined || result.Marker != "" {
		t.Errorf("came to %q at %q with marker %q: %s", result.Class, result.Depth, result.Marker, result.Evidence)
	}
}

// TestNoEditIsNotHeld: if nothing had to change, the server has confirmed nothing.
func TestNoEditIsNotHeld(t *testing.T) {
	t.Parallel()
	volumes := gametest.NewVolumes(t)
	season(t, volumes)
	server := gametest.Start(t, gametest.A, volumes)
	result := join.Probe(t.Context(), server.Address, join.Options{SetMarker: marker})
	if result.Class != join.ClassOK || result.Depth != join.Joined || result.Marker != marker {
		t.Errorf("came to %q at %q with marker %q: %s", result.Class, result.Depth, result.Marker, result.Evidence)
	}
}

// TestHoldSeesAGameThatStops: a game that sends the player back to configuration and then stops does not pass the hold.
func TestHoldSeesAGameThatStops(t *testing.T) {
	t.Parallel()
	address := hostile(t, 764, func(p *peer) {
		p.toWorld()
		p.send(p.version.ToClient.Configure)
		p.linger()
	})
	result := join.Probe(t.Context(), address, join.Options{Stage: 2 * time.Second, Hold: time.Second})
	if result.Class != join.ClassTimeout || result.Stage != "hold" {
		t.Errorf("came to %q in %q: %s", result.Class, result.Stage, result.Evidence)
	}
}

// TestUnknownVersion: with a server of an unknown version the player gets as far as possible.
func TestUnknownVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer func(*peer)
		depth  join.Depth
	}{
		{"lets the player in", func(p *peer) { p.send(protocol.LoginSuccess, pk.String("laid out otherwise")) }, join.Partial},
		{"refuses the player", func(p *peer) { p.send(protocol.LoginDisconnect, pk.String(`{"text":"whitelist"}`)) }, join.Query},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			address := hostile(t, 764, func(p *peer) {
				if p.next == protocol.NextStatus {
					p.status(9999)
					return
				}
				test.answer(p)
				p.linger()
			})
			result := join.Probe(t.Context(), address, join.Options{})
			if result.Class != join.ClassProtocol || result.Depth != test.depth || result.Protocol != 9999 {
				t.Errorf("got %+v", result)
			}
			if !strings.Contains(result.Evidence, "9999") || !strings.Contains(result.Evidence, "764 to 775") {
				t.Errorf("evidence %q does not name the versions", result.Evidence)
			}
		})
	}
}

// TestHostileMemory: the worst peers together stay within bounded memory. It runs alone, so that it measures only
// itself.
func TestHostileMemory(t *testing.T) {
	// A text of 100,000 empty compounds: one byte each on the wire, one map each in memory.
	compounds := append([]byte{10, 9, 0, 5, 'e', 'x', 't', 'r', 'a', 10, 0, 1, 0x86, 0xa0}, make([]byte, 100_001)...)
	// A text of 1,200 strings of 6,000 bytes: 10 KB on the wire.
	words := []byte{10, 9, 0, 5, 'e', 'x', 't', 'r', 'a', 8, 0, 0, 0x04, 0xb0}
	for range 1200 {
		words = append(append(words, 0x17, 0x70), bytes.Repeat([]byte{'x'}, 6000)...)
	}
	words = append(words, 0)
	for name, text := range map[string][]byte{"compounds": compounds, "words": words} {
		t.Run(name, func(t *testing.T) {
			address := hostile(t, 767, func(p *peer) {
				p.toLogin()
				p.send(protocol.LoginCompression, pk.VarInt(64))
				p.conn.Compress(64)
				p.send(protocol.LoginSuccess, pk.UUID(uuid.New()), pk.String(join.DefaultPlayer), pk.VarInt(0), pk.Boolean(true))
				p.expect(protocol.LoginAcknowledged)
				p.send(p.version.Config.Finish)
				p.expect(p.version.Config.FinishAnswer)
				p.send(p.version.ToClient.Login, pk.Int(1), pk.Boolean(false), pk.VarInt(0))
				var packed bytes.Buffer // once: packing costs more than sending
				message := pk.Marshal(p.version.ToClient.SystemChat, pk.PluginMessageData(text), pk.Boolean(false))
				if err := message.Pack(&packed, 64); err != nil {
					panic(err)
				}
				for {
					p.write(packed.Bytes())
				}
			})
			peak := watchHeap(t)
			result := join.Probe(t.Context(), address, join.Options{Stage: time.Second, Deadline: 3 * time.Second, Edit: true})
			got := peak()
			t.Logf("peak of %d MB in use", got>>20)
			if got > hostileMemory {
				t.Errorf("peak of %d MB in use, %d are allowed", got>>20, hostileMemory>>20)
			}
			if result.Class != join.ClassNoWorld {
				t.Errorf("got %+v", result)
			}
		})
	}
}

// watchHeap samples the heap's memory from the machine, which is more than the memory in use. The returned function
// stops it and returns the peak.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	debug.FreeOSMemory() // memory of other tests
	stop := make(chan struct{})
	peak := make(chan uint64, 1)
	go func() {
		var highest uint64
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			highest = max(highest, stats.HeapSys-stats.HeapReleased)
			select {
			case <-stop:
				peak <- highest
				return
			case <-ticker.C:
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-peak
	}
}
