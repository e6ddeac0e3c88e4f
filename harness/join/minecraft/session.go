package minecraft

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// maxEvidence bounds, in bytes, the description of a session's end.
const maxEvidence = 1024

// session is one player's session on one server.
type session struct {
	ctx      context.Context
	options  join.Options
	result   join.Result
	deadline time.Time // of the whole session
	server   server
	version  protocol.Version

	raw  net.Conn
	conn *wire.Conn
	stop func() bool

	view    view // what the player sees of the world
	edits   int  // blocks that the server confirmed to have changed
	lastSay string
}

// failure ends a session.
type failure struct {
	class    join.Class
	evidence string
}

func (f *failure) Error() string { return f.evidence }

func failed(class join.Class, format string, args ...any) error {
	return &failure{class: class, evidence: fmt.Sprintf(format, args...)}
}

func (s *session) begin(address string) {
	s.deadline = time.Now().Add(s.options.Deadline)
	s.result.Class = join.ClassOK
	stages := []struct {
		name string
		run  func() error
	}{
		{"status", func() error { return s.status(address) }},
		{"login", s.login},
		{"configuration", s.configure},
		{"play", s.play},
		{"hold", s.hold},
		{"edit", s.edit},
		{"save", s.save},
	}
	for _, stage := range stages {
		if err := s.stage(stage.name, stage.run); err != nil {
			s.fail(err)
			return
		}
	}
	s.result.Evidence = s.summary()
}

// stage runs one part of the session under a separate deadline.
func (s *session) stage(name string, run func() error) error {
	s.options.Progress(name, "")
	s.result.Stage = name
	start := time.Now()
	defer func() {
		millis := float64(time.Since(start).Microseconds()) / 1000
		s.result.Stages = append(s.result.Stages, join.Stage{Name: name, Millis: millis})
	}()
	s.limit(s.options.Stage)
	return run()
}

// limit bounds the connection's next operations: by d from now and by the session's deadline.
func (s *session) limit(d time.Duration) {
	if s.conn == nil {
		return
	}
	_ = s.conn.SetDeadline(s.until(d)) // fails on a closed connection, and so does the next read
}

func (s *session) until(d time.Duration) time.Time {
	end := time.Now().Add(d)
	if end.After(s.deadline) {
		return s.deadline
	}
	return end
}

// fail puts an error into the result.
func (s *session) fail(err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = s.classify(err)
	}
	if s.ctx.Err() != nil {
		f = &failure{join.ClassInterrupted, fmt.Sprintf("%v (%s)", context.Cause(s.ctx), f.evidence)}
	}
	evidence := clean(f.evidence, maxEvidence) // a decoder's error may quote what it could not read
	s.result.Class = f.class
	s.result.Evidence = s.result.Stage + ": " + evidence
	if s.lastSay != "" && s.result.Stage != "login" {
		s.result.Evidence += fmt.Sprintf("; the server last said %.200q", s.lastSay)
	}
	s.options.Progress(s.result.Stage, evidence)
}

// connect opens the session's connection and sends the handshake.
func (s *session) connect(protocolNumber int, next int32) error {
	s.close()
	ctx, cancel := context.WithDeadline(s.ctx, s.until(s.options.Stage))
	defer cancel()
	raw, err := s.server.dial(ctx)
	if err != nil {
		return failed(join.ClassConnect, "%v", err)
	}
	s.raw, s.conn = raw, wire.NewConn(raw)
	s.stop = context.AfterFunc(s.ctx, func() { raw.Close() })
	s.limit(s.options.Stage)
	return s.handshake(protocolNumber, next)
}

func (s *session) close() {
	if s.raw == nil {
		return
	}
	s.stop()
	s.raw.Close()
	s.raw, s.conn = nil, nil
}
