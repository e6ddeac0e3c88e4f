package save

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// layout are the errors of system calls that the volume's own content causes: a vanished name, a link to itself, a
// directory or a socket instead of a file, a mode that excludes the owner. The reader of a claim is the user that the
// game ran as.
var layout = []syscall.Errno{
	syscall.ENOENT, syscall.ELOOP, syscall.ENOTDIR, syscall.EISDIR, syscall.ENXIO, syscall.ENAMETOOLONG, syscall.EACCES,
}

// unreadable reports whether reading itself failed, for example because of a failing disk or an interruption. Any other
// error is caused by the volume's content, and so is an observation.
func unreadable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	return ok && !slices.Contains(layout, errno)
}

// reason turns an error into one printable line: it may contain names from a hostile volume.
func reason(err error) string {
	return statement.Excerpt(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(err.Error(), "?")))
}
