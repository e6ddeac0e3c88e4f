package rcon_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/console"
	"github.com/GameplanePanel/rehearsal/harness/rcon"
)

const password = "secret"

// script is a game's console: its reply to each command, and the commands that it received.
type script struct {
	replies map[string]string
	mu      sync.Mutex
	heard   []string
}

func (s *script) run(command string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, command)
	return s.replies[command]
}

func (s *script) commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.heard...)
}

// good are a healthy game's replies, as Minecraft words them.
func good() map[string]string {
	return map[string]string{
		"save-off":       "Automatic saving is now disabled",
		"save-all flush": "Saving the game (this may take a moment!)Saved the game",
		"save-on":        "Automatic saving is now enabled",
		"stop":           "Stopping the server",
		"list":           "There are 0 of a max of 20 players online: ",
	}
}

// listen runs a console with the script until the test ends.
func listen(t *testing.T, s *script) rcon.Target {
	t.Helper()
	listener := bind(t)
	server := &console.Server{Password: password, Run: s.run, Logf: func(string, ...any) {}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(ctx, listener)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return rcon.Target{Address: listener.Addr().String(), Password: password}
}

func bind(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func dial(t *testing.T, target rcon.Target) *rcon.Client {
	t.Helper()
	client, err := rcon.Dial(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestCommand(t *testing.T) {
	t.Parallel()
	replies := good()
	for name, size := range map[string]int{"empty": 0, "short": 10, "one byte short of full": rcon.MaxReply - 1,
		"full": rcon.MaxReply, "two parts": rcon.MaxReply + 1, "full twice": 2 * rcon.MaxReply, "many parts": 10*rcon.MaxReply + 7} {
		replies[name] = strings.Repeat("x", size)
	}
	client := dial(t, listen(t, &script{replies: replies}))
	for command, want := range replies {
		got, err := client.Command(t.Context(), command)
		if err != nil || got != want {
			t.Errorf("%s: %d bytes, %v, want %d", command, len(got), err, len(want))
		}
	}
}

func TestConcurrentCommands(t *testing.T) {
	t.Parallel()
	client := dial(t, listen(t, &script{replies: good()}))
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if got, err := client.Command(t.Context(), "list"); err != nil || got != good()["list"] {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	callers.Wait()
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	target := listen(t, &script{})
	target.Password = "wrong"
	client, err := rcon.Dial(t.Context(), target)
	if !errors.Is(err, rcon.ErrLogin) || client != nil {
		t.Fatalf("got %v, %v, want %v", client, err, rcon.ErrLogin)
	}
	if strings.Contains(err.Error(), "wrong") {
		t.Errorf("error %q holds the password", err)
	}
}

func TestQuiesce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply map[string]string // differences from a healthy game
		ok    bool
		heard []string
	}{
		{"healthy", nil, true, []string{"save-off", "save-all flush"}},
		{"saving already off", map[string]string{"save-off": "Saving is already turned off"}, true, []string{"save-off", "save-all flush"}},
		{"cannot save", map[string]string{"save-all flush": "Saving the game (this may take a moment!)Unable to save the game (is there enough disk space?)"},
			false, []string{"save-off", "save-all flush", "save-on"}},
		{"says nothing", map[string]string{"save-all flush": ""}, false, []string{"save-off", "save-all flush", "save-on"}},
		{"turns saving on instead", map[string]string{"save-off": "Automatic saving is now enabled"}, false, []string{"save-off", "save-on"}},
		{"quotes success in a refusal", map[string]string{"save-all flush": `Unknown command "Saved the game". Unable to save the game`},
			false, []string{"save-off", "save-all flush", "save-on"}},
		{"knows no save-off", map[string]string{"save-off": "Unknown or incomplete command"}, false, []string{"save-off", "save-on"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &script{replies: good()}
			for command, reply := range test.reply {
				s.replies[command] = reply
			}
			err := dial(t, listen(t, s)).Quiesce(t.Context())
			if (err == nil) != test.ok || err != nil && !errors.Is(err, rcon.ErrNotQuiesced) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(test.heard, s.commands()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhileQuiesced: saving is on again whatever the result of the copy.
func TestWhileQuiesced(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk is full")
	tests := []struct {
		name string
		copy func(context.Context, context.CancelFunc) error
		want error
	}{
		{"copied", func(context.Context, context.CancelFunc) error { return nil }, nil},
		{"copy fails", func(context.Context, context.CancelFunc) error { return broken }, broken},
		{"caller gives up", func(ctx context.Context, cancel context.CancelFunc) error { cancel(); return ctx.Err() }, context.Canceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &script{replies: good()}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := rcon.WhileQuiesced(ctx, listen(t, s), func(ctx context.Context) error { return test.copy(ctx, cancel) })
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if diff := cmp.Diff([]string{"save-off", "save-all flush", "save-on"}, s.commands()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSavingThatDoesNotStayOff: a copy that the game may have written to is not trusted, and a game that does not save
// again is reported.
func TestSavingThatDoesNotStayOff(t *testing.T) {
	t.Parallel()
	for reply, unquiesced := range map[string]bool{"Saving is already turned on": true, "Unknown or incomplete command": false, "": false} {
		s := &script{replies: good()}
		s.replies["save-on"] = reply
		err := rcon.WhileQuiesced(t.Context(), listen(t, s), func(context.Context) error { return nil })
		if err == nil || errors.Is(err, rcon.ErrNotQuiesced) != unquiesced {
			t.Errorf("save-on answered %q: %v", reply, err)
		}
	}
}

func TestPanicInACopyTurnsSavingOn(t *testing.T) {
	t.Parallel()
	s := &script{replies: good()}
	target := listen(t, s)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = rcon.WhileQuiesced(t.Context(), target, func(context.Context) error { panic("copy") })
	}()
	if diff := cmp.Diff([]string{"save-off", "save-all flush", "save-on"}, s.commands()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestStopThatIsRefused(t *testing.T) {
	t.Parallel()
	s := &script{replies: good()}
	s.replies["stop"] = "Unknown or incomplete command"
	if err := dial(t, listen(t, s)).Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "Unknown") {
		t.Errorf("stop: %v", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	listener := bind(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s := &script{replies: good()}
	server := &console.Server{Password: password, Logf: func(string, ...any) {}, Run: func(command string) string {
		if command == "stop" {
			stop()
		}
		return s.run(command)
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(ctx, listener)
	}()
	if err := dial(t, rcon.Target{Address: listener.Addr().String(), Password: password}).Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	<-done
	if diff := cmp.Diff([]string{"save-all flush", "stop"}, s.commands()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// scripted serves one connection after another with behave.
func scripted(t *testing.T, behave func(net.Conn)) rcon.Target {
	t.Helper()
	listener := bind(t)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(time.Minute))
				behave(conn)
				// Closing with unread data would reset the connection.
				_ = conn.(*net.TCPConn).CloseWrite() // fails if the client is gone
				linger(conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return rcon.Target{Address: listener.Addr().String(), Password: password}
}

func linger(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// loggedIn returns behaviour for a connection after a successful login.
func loggedIn(behave func(conn net.Conn, command rcon.Packet)) func(net.Conn) {
	return func(conn net.Conn) {
		login, err := rcon.Read(conn)
		if err != nil {
			return
		}
		if rcon.Write(conn, rcon.Packet{Request: login.Request, Kind: rcon.KindCommand}) != nil {
			return
		}
		command, err := rcon.Read(conn)
		if err == nil {
			behave(conn, command)
		}
	}
}

// TestHostileConsoles: whatever the console does, a flush returns an error in time, and never succeeds.
func TestHostileConsoles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		behave func(net.Conn)
		want   error
	}{
		{"silent", linger, context.DeadlineExceeded},
		{"hangs up", func(net.Conn) {}, io.EOF},
		{"speaks HTTP", func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }, rcon.ErrMalformed},
		{"claims 2 GB", func(conn net.Conn) { _, _ = conn.Write([]byte{0xff, 0xff, 0xff, 0x7f}); linger(conn) }, rcon.ErrMalformed},
		{"negative length", func(conn net.Conn) { _, _ = conn.Write([]byte{0xff, 0xff, 0xff, 0xff}); linger(conn) }, rcon.ErrMalformed},
		{"closes in the middle", func(conn net.Conn) { _, _ = conn.Write([]byte{12, 0, 0, 0, 1}) }, io.ErrUnexpectedEOF},
		{"answers another request", func(conn net.Conn) {
			_ = rcon.Write(conn, rcon.Packet{Request: 4711, Kind: rcon.KindCommand})
			linger(conn)
		}, rcon.ErrMalformed},
		{"never says that it saved", loggedIn(func(conn net.Conn, _ rcon.Packet) { linger(conn) }), context.DeadlineExceeded},
		{"dies while saving", loggedIn(func(conn net.Conn, command rcon.Packet) {}), io.EOF},
		{"never stops talking", loggedIn(func(conn net.Conn, command rcon.Packet) {
			for rcon.Write(conn, rcon.Packet{Request: command.Request, Payload: strings.Repeat("x", rcon.MaxReply)}) == nil {
			}
		}), rcon.ErrMalformed},
		{"says saved to another request", loggedIn(func(conn net.Conn, command rcon.Packet) {
			_ = rcon.Write(conn, rcon.Packet{Request: command.Request + 1, Payload: "Saved the game"})
			linger(conn)
		}), rcon.ErrMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			err := flush(ctx, scripted(t, test.behave))
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func flush(ctx context.Context, target rcon.Target) error {
	client, err := rcon.Dial(ctx, target)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Flush(ctx)
}

func TestCancelledCommand(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	target := scripted(t, loggedIn(func(conn net.Conn, _ rcon.Packet) { cancel(); linger(conn) }))
	if err := flush(ctx, target); !errors.Is(err, context.Canceled) || !errors.Is(err, rcon.ErrNotQuiesced) {
		t.Errorf("got %v, want %v and %v", err, context.Canceled, rcon.ErrNotQuiesced)
	}
}

// FuzzRead: writing a packet that was read gives the same bytes.
func FuzzRead(f *testing.F) {
	var seed bytes.Buffer
	if err := rcon.Write(&seed, rcon.Packet{Request: 1, Kind: rcon.KindCommand, Payload: "list"}); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		packet, err := rcon.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := rcon.Write(&out, packet); err != nil || !bytes.HasPrefix(data, out.Bytes()) {
			t.Errorf("read %+v, wrote %x, %v", packet, out.Bytes(), err)
		}
	})
}

// TestSavingIsTurnedOnOverAnotherConnection: a console that hangs up during a copy must not stay quiesced.
func TestSavingIsTurnedOnOverAnotherConnection(t *testing.T) {
	t.Parallel()
	s := &script{replies: good()}
	hangUp := make(chan struct{})
	target := scripted(t, func(conn net.Conn) {
		for {
			packet, err := rcon.Read(conn)
			if err != nil {
				return
			}
			reply := rcon.Packet{Request: packet.Request, Payload: s.replies[packet.Payload]}
			if packet.Kind == rcon.KindLogin {
				reply.Kind, reply.Payload = rcon.KindCommand, ""
			} else {
				s.run(packet.Payload)
			}
			if rcon.Write(conn, reply) != nil {
				return
			}
			if packet.Payload == "save-all flush" {
				close(hangUp)
				return
			}
		}
	})
	err := rcon.WhileQuiesced(t.Context(), target, func(context.Context) error { <-hangUp; return nil })
	if err != nil {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"save-off", "save-all flush", "save-on"}, s.commands()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
