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

// layout are what a system call says where a volume's own content is in the way: a name that is gone by now, a link to
// itself, a directory or a socket in the place of a file, a mode that keeps its owner out (whoever reads a claim is the
// user that the game ran as).
var layout = []syscall.Errno{
	syscall.ENOENT, syscall.ELOOP, syscall.ENOTDIR, syscall.EISDIR, syscall.ENXIO, syscall.ENAMETOOLONG, syscall.EACCES,
}

// unreadable reports whether an error lies with the reading, such as a disk that fails, or an interrupt.
// Every other is about what whoever wrote the volume has put there, and so is something to observe.
func unreadable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	return ok && !slices.Contains(layout, errno)
}

// reason puts an error into one line: names of a hostile volume are in it.
func reason(err error) string {
	return statement.Excerpt(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(err.Error(), "?")))
}
