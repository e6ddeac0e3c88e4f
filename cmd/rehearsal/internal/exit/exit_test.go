package exit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
)

// People read the path and what is wrong with it, not the system call. Context in front of it stays.
func TestPlain(t *testing.T) {
	t.Parallel()
	missing := &fs.PathError{Op: "open", Path: "runs", Err: fs.ErrNotExist}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{missing, "runs: file does not exist"},
		{errors.Join(missing, nil), "runs: file does not exist"},
		{fmt.Errorf("standard input: %w", missing), "standard input: open runs: file does not exist"},
		{errors.New("other"), "other"},
	} {
		got := exit.Plain(tt.err)
		if got.Error() != tt.want || errors.Is(got, fs.ErrNotExist) != errors.Is(tt.err, fs.ErrNotExist) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
