// Package atomicfile replaces files so that a crash leaves either the old content or the new, never a mixture.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file's content: a temporary file beside it is written, synced and renamed, and the directory
// synced. A file that holds data already is left alone. New files are readable by all.
func Write(path string, data []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // gone after the rename
	if err := fill(temp, data); err != nil {
		return fmt.Errorf("write %s: %w", temp.Name(), err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

func fill(temp *os.File, data []byte) error {
	_, err := temp.Write(data)
	return errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
