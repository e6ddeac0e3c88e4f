// Package exit gives errors the exit codes of the command.
package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Exit codes that scripts may rely on. The help of a command names the codes that it uses.
const (
	CodeFailed = 1 // the work was done and the answer is no
	CodeUsage  = 2 // wrong flags or arguments
	CodeCannot = 3 // there is no answer: something cannot be read or written
)

// Error is an error with its exit code. It has no Err where the output says everything already.
type Error struct {
	Code int
	Err  error
}

func (e Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e Error) Unwrap() error { return e.Err }

// Failed is the answer no. The error may be nil.
func Failed(err error) error { return Error{CodeFailed, err} }

// Usage is about wrong flags or arguments.
func Usage(format string, args ...any) error { return Error{CodeUsage, fmt.Errorf(format, args...)} }

// Cannot is about something that cannot be read or written.
func Cannot(err error) error { return Error{CodeCannot, Plain(err)} }

// Plain leaves out the system call at the beginning of an error: "runs: no such file or directory".
func Plain(err error) error {
	pathError, ok := errors.AsType[*fs.PathError](err)
	if !ok || !strings.HasPrefix(err.Error(), pathError.Error()) {
		return err
	}
	return fmt.Errorf("%s: %w", pathError.Path, pathError.Err)
}
