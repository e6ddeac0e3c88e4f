// Package atomicfile replaces files atomically: a crash leaves either the old content or the new.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the content of a file. It writes and syncs a temporary file in the same directory, renames it, and syncs
// the directory. It leaves a file alone that already has this content.
// Everybody can read the file.
func Write(path string, data []byte) error { return WriteMode(path, data, 0o644) }

// WriteMode is Write with other permissions.
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
	defer os.Remove(temp.Name()) // fails after the rename
	if err := fill(temp, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", temp.Name(), err)
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Sweep removes the temporary files of killed processes below a directory. No other process may write there meanwhile.
func Sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if match, _ := filepath.Match(temporary("*"), entry.Name()); !match {
			return nil
		}
		return os.Remove(path)
	})
}

// SweepFile removes the temporary files of one file. The name must not contain special characters of filepath.Match.
func SweepFile(path string) error {
	leftovers, err := filepath.Glob(filepath.Join(filepath.Dir(path), temporary(filepath.Base(path))))
	for _, name := range leftovers {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// temporary returns the name pattern of the temporary files of a file.
func temporary(name string) string { return "." + name + ".*.tmp" }

// holds says whether path is a regular file with this content.
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

// SyncDir syncs a directory, so that its entries survive a power cut.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
