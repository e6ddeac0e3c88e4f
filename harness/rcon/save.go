package rcon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrNotQuiesced is wrapped by every error after which a copy of the world cannot be trusted: the game may not
// have written all of it, or may be writing to it.
var ErrNotQuiesced = errors.New("game is not quiesced")

// What Minecraft answers, word for word.
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
	resumeLimit = 5 * time.Second // for turning saving on again, whatever became of the caller's context
)

// Flush has the game write everything to disk now, and waits until it says that it did.
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

// Quiesce turns saving off and has the game write everything, so that the world on disk is whole and stays as it
// is until Resume. Where it fails, it has tried to turn saving on again.
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

// Resume turns saving on again. It does so even where ctx has ended, within five seconds.
func (c *Client) Resume(ctx context.Context) error {
	_, err := c.resume(ctx)
	return err
}

// resume also says whether saving was off until now.
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

// Stop has the game write everything and end. It returns once the game has hung up: its process may take a moment
// longer, and a console alone that breaks down at this very moment looks the same.
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
		return fmt.Errorf("RCON stop: %w: %d bytes after it", ErrMalformed, n)
	}
	return nil
}

// WhileQuiesced runs copy while the world on disk is whole and at rest. Saving is on again when it returns or panics:
// over a second connection, where the first was lost. Where saving was on before the end of the copy, since somebody
// turned it on or the game was restarted, the error wraps ErrNotQuiesced: what was copied is not to be trusted.
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
			failed = fmt.Errorf("%w: saving was on again before the copy was made", ErrNotQuiesced)
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
