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
func Write(path string, data []byte) error { return WriteMode(path, data, 0o644) }

// WriteMode is Write for a file that is to have other permissions.
func WriteMode(path string, data []byte, mode fs.FileMode) error {
	same, err := holds(path, data)
	if err != nil || same {
		return err
	}
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, temporary(filepath.Base(path)))
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // gone after the rename
	if err := fill(temp, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", temp.Name(), err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Sweep removes what Write has left, below a directory, of processes that were killed. Nobody else may be writing there.
func Sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if left, _ := filepath.Match(temporary("*"), entry.Name()); !left {
			return nil
		}
		return os.Remove(path)
	})
}

// SweepFile removes what Write has left of one file, likewise. The name must hold none of the characters that
// filepath.Match gives a meaning to.
func SweepFile(path string) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), temporary(filepath.Base(path))))
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// temporary is the pattern of the names under which a file is written.
func temporary(name string) string { return "." + name + ".*.tmp" }

// holds says whether path is a regular file with that content.
func holds(path string, data []byte) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false, err
	}
	old, err := os.ReadFile(path)
	return bytes.Equal(old, data), err
}

func fill(temp *os.File, data []byte, mode fs.FileMode) error {
	_, err := temp.Write(data)
	return errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
}

// SyncDir makes the names in a directory last a power cut.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
