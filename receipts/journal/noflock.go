//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package journal

import (
	"errors"
	"os"
)

// lock refuses: a journal that two processes may write is none.
func lock(*os.File) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return nil }
