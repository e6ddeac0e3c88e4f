package rcon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrNotQuiesced is wrapped by every error after which a copy of the world cannot be trusted: the game may not have
// written all of it, or may still write to it.
var ErrNotQuiesced = errors.New("game is not quiesced")

// These are Minecraft's literal replies.
const (
	savedReply      = "Saved the game"
	unsavedReply    = "Unable to save"
	offReply        = "now disabled"       // of "Automatic saving is now disabled"
	alreadyOffReply = "already turned off" // of "Saving is already turned off"
	onReply         = "now enabled"
	alreadyOnReply  = "already turned on"
	stopReply       = "Stopping the server"
)

const (
	resumeLimit = 5 * time.Second // to turn saving on again, even after the caller's context has ended
)

// Flush makes the game write everything to disk, and waits until the game confirms it.
func (c *Client) Flush(ctx context.Context) error {
	reply, err := c.Command(ctx, "save-all flush")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotQuiesced, err)
	}
	if !strings.Contains(reply, savedReply) || strings.Contains(reply, unsavedReply) {
		return fmt.Errorf("%w: save-all flush was answered %.200q", ErrNotQuiesced, reply)
	}
	return nil
}

// Quiesce turns saving off and makes the game write everything, so that the world on disk is complete and does not
// change until Resume. On an error, Quiesce has tried to turn saving on again.
func (c *Client) Quiesce(ctx context.Context) error {
	reply, err := c.Command(ctx, "save-off")
	if err == nil && !strings.Contains(reply, offReply) && !strings.Contains(reply, alreadyOffReply) {
		err = fmt.Errorf("save-off was answered %.200q", reply)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrNotQuiesced, err), c.Resume(ctx))
	}
	if err := c.Flush(ctx); err != nil {
		return errors.Join(err, c.Resume(ctx))
	}
	return nil
}

// Resume turns saving on again, within five seconds, even if ctx has ended.
func (c *Client) Resume(ctx context.Context) error {
	_, err := c.resume(ctx)
	return err
}

// resume also reports whether saving was off until now.
func (c *Client) resume(ctx context.Context) (wasOff bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeLimit)
	defer cancel()
	reply, err := c.Command(ctx, "save-on")
	switch {
	case err != nil:
		return false, err
	case strings.Contains(reply, onReply):
		return true, nil
	case strings.Contains(reply, alreadyOnReply):
		return false, nil
	}
	return false, fmt.Errorf("save-on was answered %.200q", reply)
}

// Stop makes the game write everything and exit. It returns once the game has hung up. The process may take a moment
// longer; a console that breaks down at this moment looks the same.
func (c *Client) Stop(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		return err
	}
	reply, err := c.Command(ctx, "stop")
	if err != nil {
		if hungUp(err) {
			return nil
		}
		return err
	}
	if !strings.Contains(reply, stopReply) {
		return fmt.Errorf("RCON stop was answered %.200q", reply)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.watch(ctx)()
	n, err := io.Copy(io.Discard, io.LimitReader(c.conn, maxOutput))
	if err != nil && !hungUp(err) {
		return fmt.Errorf("RCON stop: %w", c.because(ctx, err))
	}
	if n == maxOutput {
		return fmt.Errorf("RCON stop: %w: %d unexpected bytes after the reply", ErrMalformed, n)
	}
	return nil
}

// WhileQuiesced runs copy while the world on disk is complete and does not change. Saving is on again when
// WhileQuiesced returns or panics; if the connection was lost, it uses a second one. If saving was on before the end of
// the copy, because somebody turned it on or the game restarted, the error wraps ErrNotQuiesced: the copy is not to be
// trusted.
func WhileQuiesced(ctx context.Context, target Target, copy func(context.Context) error) (err error) {
	client, err := Dial(ctx, target)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotQuiesced, err)
	}
	defer client.Close()
	if err := client.Quiesce(ctx); err != nil {
		_, again := resumeAgain(ctx, target)
		return errors.Join(err, again)
	}
	defer func() {
		wasOff, failed := client.resume(ctx)
		if failed != nil {
			wasOff, failed = resumeAgain(ctx, target)
		}
		if failed == nil && !wasOff {
			failed = fmt.Errorf("%w: saving was on again before the copy ended", ErrNotQuiesced)
		}
		err = errors.Join(err, failed)
	}()
	return copy(ctx)
}

func resumeAgain(ctx context.Context, target Target) (wasOff bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeLimit)
	defer cancel()
	client, err := Dial(ctx, target)
	if err != nil {
		return false, fmt.Errorf("turn saving on again: %w", err)
	}
	defer client.Close()
	return client.resume(ctx)
}
