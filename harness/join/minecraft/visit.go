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

// maxEvidence bounds, in bytes, what is said of how a visit ended.
const maxEvidence = 1024

// visit is one player's visit to one server.
type visit struct {
	ctx      context.Context
	options  join.Options
	result   join.Result
	deadline time.Time // of the whole visit
	server   server
	version  protocol.Version

	raw  net.Conn
	conn *wire.Conn
	stop func() bool

	view    view // what the player sees of the world
	edits   int  // blocks that the server confirmed to have changed
	lastSay string
}

// failure ends a visit.
type failure struct {
	class    join.Class
	evidence string
}

func (f *failure) Error() string { return f.evidence }

func failed(class join.Class, format string, args ...any) error {
	return &failure{class: class, evidence: fmt.Sprintf(format, args...)}
}

func (v *visit) begin(address string) {
	v.deadline = time.Now().Add(v.options.Deadline)
	v.result.Class = join.ClassOK
	stages := []struct {
		name string
		run  func() error
	}{
		{"status", func() error { return v.status(address) }},
		{"login", v.login},
		{"configuration", v.configure},
		{"play", v.play},
		{"hold", v.hold},
		{"edit", v.edit},
		{"save", v.save},
	}
	for _, stage := range stages {
		if err := v.stage(stage.name, stage.run); err != nil {
			v.fail(err)
			return
		}
	}
	v.result.Evidence = v.summary()
}

// stage runs one part of the visit under a deadline of its own.
func (v *visit) stage(name string, run func() error) error {
	v.options.Progress(name, "")
	v.result.Stage = name
	start := time.Now()
	defer func() {
		millis := float64(time.Since(start).Microseconds()) / 1000
		v.result.Stages = append(v.result.Stages, join.Stage{Name: name, Millis: millis})
	}()
	v.limit(v.options.Stage)
	return run()
}

// limit bounds what the connection does next: by d from now and by the deadline of the visit.
func (v *visit) limit(d time.Duration) {
	if v.conn == nil {
		return
	}
	_ = v.conn.SetDeadline(v.until(d)) // fails on a closed connection, as the next read will
}

func (v *visit) until(d time.Duration) time.Time {
	end := time.Now().Add(d)
	if end.After(v.deadline) {
		return v.deadline
	}
	return end
}

// fail puts an error into the result.
func (v *visit) fail(err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = v.classify(err)
	}
	if v.ctx.Err() != nil {
		f = &failure{join.ClassInterrupted, fmt.Sprintf("%v (%s)", context.Cause(v.ctx), f.evidence)}
	}
	evidence := clean(f.evidence, maxEvidence) // the words of a decoder repeat what it could not read
	v.result.Class = f.class
	v.result.Evidence = v.result.Stage + ": " + evidence
	if v.lastSay != "" && v.result.Stage != "login" {
		v.result.Evidence += fmt.Sprintf("; the server last said %.200q", v.lastSay)
	}
	v.options.Progress(v.result.Stage, evidence)
}

// connect opens the visit's connection and greets the server.
func (v *visit) connect(protocolNumber int, next int32) error {
	v.close()
	ctx, cancel := context.WithDeadline(v.ctx, v.until(v.options.Stage))
	defer cancel()
	raw, err := v.server.dial(ctx)
	if err != nil {
		return failed(join.ClassConnect, "%v", err)
	}
	v.raw, v.conn = raw, wire.NewConn(raw)
	v.stop = context.AfterFunc(v.ctx, func() { raw.Close() })
	v.limit(v.options.Stage)
	return v.handshake(protocolNumber, next)
}

func (v *visit) close() {
	if v.raw == nil {
		return
	}
	v.stop()
	v.raw.Close()
	v.raw, v.conn = nil, nil
}
