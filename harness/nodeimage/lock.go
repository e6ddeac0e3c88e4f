package nodeimage

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// lock takes an exclusive lock on a file, across processes, and returns what
// gives it back. The kernel gives it back too if this process dies.
func lock(ctx context.Context, path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return func() { file.Close() }, nil
	case <-ctx.Done():
		// flock cannot be interrupted: whoever gets it late gives it back at once.
		go func() {
			<-locked
			file.Close()
		}()
		return nil, fmt.Errorf("another process builds the node image: %w", context.Cause(ctx))
	}
}
