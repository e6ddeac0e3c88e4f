package wire_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	pk "github.com/Tnze/go-mc/net/packet"

	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// stream is a connection whose peer has already sent everything.
type stream struct {
	net.Conn
	io.Reader
}

func (s stream) Read(p []byte) (int, error) { return s.Reader.Read(p) }

func connTo(said []byte) *wire.Conn { return wire.NewConn(stream{Reader: bytes.NewReader(said)}) }

// packed returns a packet as go-mc writes it.
func packed(t testing.TB, threshold int, id int32, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	packet := pk.Packet{ID: id, Data: data}
	if err := packet.Pack(&out, threshold); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReceive(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("blocks "), 10_000)
	tests := []struct {
		name      string
		threshold int
		id        int32
		data      []byte
	}{
		{"plain", -1, 0x25, []byte("hello")},
		{"empty", -1, 0, nil},
		{"long", -1, 0x7f, long},
		{"big id", -1, 300, long},
		{"below the threshold", 256, 0x25, []byte("hello")},
		{"compressed", 256, 0x25, long},
		{"everything compressed", 0, 0x25, []byte("x")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			said := packed(t, test.threshold, test.id, test.data)
			conn := connTo(append(said, said...))
			conn.Compress(test.threshold)
			for range 2 {
				packet, err := conn.Receive()
				if err != nil {
					t.Fatal(err)
				}
				if packet.ID != test.id || !bytes.Equal(packet.Data, test.data) {
					t.Errorf("got packet %#x of %d bytes, want %#x of %d", packet.ID, len(packet.Data), test.id, len(test.data))
				}
			}
			if _, err := conn.Receive(); !errors.Is(err, io.EOF) {
				t.Errorf("after the last packet: %v, want EOF", err)
			}
		})
	}
}

// bomb returns a compressed packet that claims one size and inflates to another.
func bomb(claimed, size int) []byte {
	var body bytes.Buffer
	_, _ = pk.VarInt(claimed).WriteTo(&body)
	writer, _ := zlib.NewWriterLevel(&body, zlib.BestSpeed) // the level exists
	_, _ = io.CopyN(writer, zeroes{}, int64(size))
	_ = writer.Close()
	var frame bytes.Buffer
	_, _ = pk.VarInt(body.Len()).WriteTo(&frame)
	frame.Write(body.Bytes())
	return frame.Bytes()
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReceiveRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		threshold int
		said      []byte
		want      error
	}{
		{"2 GB length", -1, []byte{0xff, 0xff, 0xff, 0xff, 0x07, 0, 0}, wire.ErrMalformed},
		{"negative length", -1, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, wire.ErrMalformed},
		{"empty frame", -1, []byte{0, 0, 0}, wire.ErrMalformed},
		{"negative id", -1, []byte{5, 0xff, 0xff, 0xff, 0xff, 0x0f}, wire.ErrMalformed},
		{"id without an end", -1, []byte{6, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, wire.ErrMalformed},
		{"cut in the length", -1, []byte{0x85}, io.ErrUnexpectedEOF},
		{"cut in the body", -1, []byte{9, 1, 2}, io.ErrUnexpectedEOF},
		{"bomb", 256, bomb(300, 1<<20), wire.ErrMalformed},
		{"bomb that says so", 256, bomb(512<<20, 1<<20), wire.ErrMalformed},
		{"inflates to less", 256, bomb(1<<20, 300), wire.ErrMalformed},
		{"compressed below the threshold", 256, bomb(10, 10), wire.ErrMalformed},
		{"negative inflated size", 256, []byte{6, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}, wire.ErrMalformed},
		{"not zlib", 16, []byte{4, 20, 1, 2, 3}, wire.ErrMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := connTo(test.said)
			conn.Compress(test.threshold)
			if packet, err := conn.Receive(); !errors.Is(err, test.want) {
				t.Errorf("got packet %#x of %d bytes, error %v, want %v", packet.ID, len(packet.Data), err, test.want)
			}
			want := test.said[:min(len(test.said), 64)]
			if !bytes.Equal(conn.Head(), want) {
				t.Errorf("head is %q, want %q", conn.Head(), want)
			}
		})
	}
}

// TestBombMemory: a bomb's inflated data must not be held in memory.
func TestBombMemory(t *testing.T) {
	said := bomb(wire.MaxInflated, 2*wire.MaxInflated)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	conn := connTo(said)
	conn.Compress(256)
	if _, err := conn.Receive(); !errors.Is(err, wire.ErrMalformed) {
		t.Fatalf("got %v", err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
		t.Errorf("a bomb of %d MB took %d bytes to refuse", 2*wire.MaxInflated>>20, used)
	}
}

// TestReceiveAfterTimeout: a timeout in the middle of a packet must not lose received data.
func TestReceiveAfterTimeout(t *testing.T) {
	t.Parallel()
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	conn := wire.NewConn(client)
	said := packed(t, -1, 7, []byte("a packet in two parts"))
	rest := make(chan struct{})
	go func() {
		_, _ = server.Write(said[:9])
		<-rest
		_, _ = server.Write(said[9:])
	}()
	_ = conn.SetDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := conn.Receive(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("half a packet: %v, want a time-out", err)
	}
	close(rest)
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	packet, err := conn.Receive()
	if err != nil || string(packet.Data) != "a packet in two parts" {
		t.Errorf("got %q, %v", packet.Data, err)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		data []byte
		read func(*wire.Fields)
		ok   bool
	}{
		{"string", []byte("\x05hello"), func(f *wire.Fields) { f.String(5) }, true},
		{"string over the limit", []byte("\x05hello"), func(f *wire.Fields) { f.String(4) }, false},
		{"string longer than the data", []byte("\x05hell"), func(f *wire.Fields) { f.String(5) }, false},
		{"string of negative length", []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, func(f *wire.Fields) { f.String(5) }, false},
		{"string that is not UTF-8", []byte{1, 0xff}, func(f *wire.Fields) { f.String(5) }, false},
		{"array", []byte{2, 1, 2}, func(f *wire.Fields) { f.Count(1) }, true},
		{"array longer than the data", []byte{2, 1, 2}, func(f *wire.Fields) { f.Count(2) }, false},
		{"number without an end", bytes.Repeat([]byte{0x80}, 11), func(f *wire.Fields) { f.VarLong() }, false},
		{"tag", []byte{8, 0, 1, 'x'}, func(f *wire.Fields) { f.NBT() }, true},
		{"tag cut off", []byte{8, 0, 9, 'x'}, func(f *wire.Fields) { f.NBT() }, false},
		{"past the end", nil, func(f *wire.Fields) { f.UUID() }, false},
	}
	for _, test := range tests {
		fields := wire.NewFields(test.data)
		test.read(fields)
		if err := fields.Err(); (err == nil) != test.ok || err != nil && !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
}

func TestFirstErrorSticks(t *testing.T) {
	t.Parallel()
	fields := wire.NewFields([]byte{1})
	fields.Long()
	first := fields.Err()
	if got := fields.Byte(); got != 0 || fields.Err() != first || !strings.Contains(first.Error(), "8 bytes wanted, 1 left") {
		t.Errorf("after %v: byte %d, error %v", first, got, fields.Err())
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	for _, want := range []wire.Position{{}, {15, 200, 8}, {-1, -64, -30_000_000}, {33_554_431, 2047, -1}} {
		var data bytes.Buffer
		_, _ = pk.Position(want).WriteTo(&data)
		if got := wire.NewFields(data.Bytes()).Position(); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// FuzzReceive: whatever a peer sends, reading ends within the limits.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), -1)
	f.Add(packed(f, -1, 0x25, []byte("hello")), -1)
	f.Add(packed(f, 16, 0x25, bytes.Repeat([]byte("hello"), 10)), 16)
	f.Add(bomb(300, 1<<20), 256)
	f.Fuzz(func(t *testing.T, said []byte, threshold int) {
		conn := connTo(said)
		conn.Compress(threshold)
		for range 100 {
			packet, err := conn.Receive()
			if err != nil {
				return
			}
			if packet.ID < 0 || len(packet.Data) > wire.MaxInflated {
				t.Fatalf("packet %d of %d bytes", packet.ID, len(packet.Data))
			}
		}
	})
}
