package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// WriteNew writes a file that does not exist yet. Where it exists, the error is fs.ErrExist and the file stays as it is.
// It leaves no half-written file.
func WriteNew(path string, data []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return existsError{path}
	}
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path) // half a file would stop the next attempt
		return err
	}
	return nil
}

type existsError struct{ path string }

func (e existsError) Error() string { return e.path + " exists: it is left as it is" }
func (e existsError) Unwrap() error { return fs.ErrExist }
