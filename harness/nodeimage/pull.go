package nodeimage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"
)

// A reachable registry names the image within seconds; the layers (about 1 GB) then
// take as long as the connection needs.
var (
	pullAnswer = 20 * time.Second
	pullWhole  = 15 * time.Minute
)

var errNoAnswer = errors.New("no registry answered in time")

// pull has the engine pull ref. It gives up soon if no registry answers, so that a
// machine without one does not wait long.
func pull(ctx context.Context, log *slog.Logger, ref string) error {
	log.Info("pulling the node image", "image", ref)
	ctx, cancelWhole := context.WithTimeout(ctx, pullWhole)
	defer cancelWhole()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	var stderr bytes.Buffer
	command := exec.CommandContext(ctx, "docker", "pull", ref)
	command.Stderr = &stderr
	command.WaitDelay = 5 * time.Second
	stdout, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("pull %s: %w", ref, err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("pull %s: %w", ref, err)
	}
	silence := time.AfterFunc(pullAnswer, func() { cancel(errNoAnswer) })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		silence.Stop()
	}
	err = command.Wait()
	silence.Stop()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("pull %s: %w", ref, cause)
	}
	return fmt.Errorf("pull %s: %w", ref, errors.Join(err, errors.New(string(bytes.TrimSpace(stderr.Bytes())))))
}
