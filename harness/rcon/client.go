package rcon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// ErrLogin means that the server refused the password.
var ErrLogin = errors.New("RCON login refused")

// defaultTimeout bounds a call whose context has no deadline.
const defaultTimeout = 10 * time.Second

// Target is a console to log in to.
type Target struct {
	Address  string // host:port
	Password string
}

// Client is a logged-in console. Commands run one at a time; it is safe for concurrent use.
type Client struct {
	mu      sync.Mutex
	conn    net.Conn
	request int32
}

// Dial connects and logs in.
func Dial(ctx context.Context, target Target) (*Client, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", target.Address)
	if err != nil {
		return nil, fmt.Errorf("RCON: %w", err)
	}
	c := &Client{conn: conn}
	if err := c.login(ctx, target.Password); err != nil {
		conn.Close()
		return nil, fmt.Errorf("RCON at %s: %w", target.Address, err)
	}
	return c, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) login(ctx context.Context, password string) error {
	defer c.watch(ctx)()
	c.request++
	if err := Write(c.conn, Packet{Request: c.request, Kind: KindLogin, Payload: password}); err != nil {
		return c.because(ctx, err)
	}
	reply, err := Read(c.conn)
	if err != nil {
		return c.because(ctx, err)
	}
	// Some servers send an empty reply before the answer to a login.
	if reply.Kind == KindReply && reply.Request == c.request {
		if reply, err = Read(c.conn); err != nil {
			return c.because(ctx, err)
		}
	}
	switch reply.Request {
	case c.request:
		return nil
	case RefusedLogin:
		return ErrLogin
	}
	return fmt.Errorf("%w: reply to request %d instead of %d", ErrMalformed, reply.Request, c.request)
}

// Command runs a command and returns the server's reply. After an error the connection is unusable.
func (c *Client) Command(ctx context.Context, command string) (string, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.watch(ctx)()

	c.request++
	request := c.request
	if err := Write(c.conn, Packet{Request: request, Kind: KindCommand, Payload: command}); err != nil {
		return "", fmt.Errorf("RCON command %q: %w", command, c.because(ctx, err))
	}
	output, err := c.reply(request)
	if err != nil {
		return output, fmt.Errorf("RCON command %q: %w", command, c.because(ctx, err))
	}
	return output, nil
}

// reply collects the parts of a reply. Only a full part can be followed by another one. After a full part it sends a
// packet of an unknown kind, whose answer marks the end. It does not send that packet with the command: Minecraft hangs
// up on two packets in one segment.
func (c *Client) reply(request int32) (string, error) {
	var output strings.Builder
	end := int32(0)
	for {
		part, err := Read(c.conn)
		if err != nil {
			return output.String(), err
		}
		if end != 0 && part.Request == end {
			return output.String(), nil
		}
		if part.Request != request || part.Kind != KindReply {
			return "", fmt.Errorf("%w: reply to request %d of kind %d", ErrMalformed, part.Request, part.Kind)
		}
		output.WriteString(part.Payload)
		if output.Len() > maxOutput {
			return "", fmt.Errorf("%w: reply of more than %d bytes", ErrMalformed, maxOutput)
		}
		if len(part.Payload) < MaxReply && end == 0 {
			return output.String(), nil
		}
		if end != 0 {
			continue
		}
		c.request++
		end = c.request
		if err := Write(c.conn, Packet{Request: end, Kind: kindProbe}); err != nil {
			return output.String(), err
		}
	}
}

// watch makes reads and writes fail once the context ends. The returned function ends the watch.
func (c *Client) watch(ctx context.Context) func() {
	deadline, _ := ctx.Deadline()
	_ = c.conn.SetDeadline(deadline) // fails on a closed connection, and so does the next read
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	return func() { stop() }
}

// because adds the context's end as the cause of an error, if it is the cause.
func (c *Client) because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w (%w)", cause, err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return fmt.Errorf("%w (%w)", context.DeadlineExceeded, err)
	}
	return err
}

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, defaultTimeout)
}
