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

const (
	savedReply  = "Saved the game"
	resumeLimit = 5 * time.Second // for turning saving on again, whatever became of the caller's context
)

// Flush has the game write everything to disk now, and waits until it says that it did.
func (c *Client) Flush(ctx context.Context) error {
	reply, err := c.Command(ctx, "save-all flush")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotQuiesced, err)
	}
	if !strings.Contains(reply, savedReply) {
		return fmt.Errorf("%w: save-all flush was answered %.200q", ErrNotQuiesced, reply)
	}
	return nil
}

// Quiesce turns saving off and has the game write everything, so that the world on disk is whole and stays as it
// is until Resume. Where it fails, it has tried to turn saving on again.
func (c *Client) Quiesce(ctx context.Context) error {
	reply, err := c.Command(ctx, "save-off")
	if err == nil && !strings.Contains(reply, "aving is") { // "Automatic saving is now disabled", "Saving is already turned off"
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeLimit)
	defer cancel()
	_, err := c.Command(ctx, "save-on")
	return err
}

// Stop has the game write everything and end. It returns once the game has hung up: its process may take a moment
// longer.
func (c *Client) Stop(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		return err
	}
	if _, err := c.Command(ctx, "stop"); err != nil && !hungUp(err) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.watch(ctx)()
	_, err := io.Copy(io.Discard, io.LimitReader(c.conn, maxOutput))
	if err != nil && !hungUp(err) {
		return fmt.Errorf("RCON stop: %w", c.because(ctx, err))
	}
	return nil
}

// WhileQuiesced runs copy while the world on disk is whole and at rest. Saving is on again when it returns,
// whatever happened: over a second connection, where the first was lost.
func WhileQuiesced(ctx context.Context, target Target, copy func(context.Context) error) error {
	client, err := Dial(ctx, target)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotQuiesced, err)
	}
	defer client.Close()
	if err := client.Quiesce(ctx); err != nil {
		return errors.Join(err, resumeAgain(ctx, target))
	}
	err = copy(ctx)
	if resumeErr := client.Resume(ctx); resumeErr != nil {
		err = errors.Join(err, resumeAgain(ctx, target))
	}
	return err
}

func resumeAgain(ctx context.Context, target Target) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeLimit)
	defer cancel()
	client, err := Dial(ctx, target)
	if err != nil {
		return fmt.Errorf("turn saving on again: %w", err)
	}
	defer client.Close()
	return client.Resume(ctx)
}
