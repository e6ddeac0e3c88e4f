package save

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestUnreadable(t *testing.T) {
	t.Parallel()
	path := func(err error) error { return fmt.Errorf("x: %w", &fs.PathError{Op: "openat", Path: "x", Err: err}) }
	for err, want := range map[error]bool{
		nil:                         false,
		tag.ErrMalformed:            false,
		path(syscall.ENOENT):        false,
		path(syscall.ELOOP):         false,
		path(errors.New("escapes")): false,
		path(syscall.EACCES):        false,
		path(syscall.EIO):           true,
		path(syscall.ESTALE):        true,
		fmt.Errorf("%w: %w", tag.ErrMalformed, path(syscall.EIO)): true, // the disk fails halfway
		context.Canceled:         true,
		context.DeadlineExceeded: true,
	} {
		if got := unreadable(err); got != want {
			t.Errorf("unreadable(%v) = %t", err, got)
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"short", strings.Repeat("☃", 1000), "\x1b[2J\n", "\xff\xfe" + strings.Repeat("x", 300)} {
		got := reason(errors.New(text))
		if len(got) > statement.MaxMessage || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("reason of %.20q is %q", text, got)
		}
	}
}
