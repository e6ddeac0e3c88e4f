package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"time"
)

// longestBuild bounds the wait for another process's build: several times what a build takes on two slow cores.
const longestBuild = 2 * time.Hour

// lock takes an exclusive lock on a file, across processes, and returns a function
// that releases it. The kernel also releases it if this process dies.
func lock(ctx context.Context, path string, log *slog.Logger) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		log.Info("another process builds the node image, waiting for it", "lock", path)
		return waitForLock(ctx, file)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { file.Close() }, nil
}

func waitForLock(ctx context.Context, file *os.File) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, longestBuild)
	defer cancel()
	locked := make(chan error, 1)
	go func() { locked <- syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		return func() { file.Close() }, nil
	case <-ctx.Done():
		// flock cannot be interrupted: if it succeeds after the wait ended, it is released at once.
		go func() {
			<-locked
			file.Close()
		}()
		return nil, fmt.Errorf("another process builds the node image and holds %s: %w", file.Name(), context.Cause(ctx))
	}
}
