package save

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

const maxStored = 8 << 20 // bytes of a compressed tag file as stored

// openFile opens a regular file for reading. It neither leaves the root nor blocks on a pipe.
func openFile(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: not a regular file", name, tag.ErrMalformed)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readCompressed reads a file that holds one tag, compressed with gzip.
func readCompressed(root *os.Root, name string) (tag.Compound, error) {
	file, err := openFile(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	compound, err := decodeCompressed(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return compound, nil
}

func decodeCompressed(r io.Reader) (tag.Compound, error) {
	unpacked, err := gzip.NewReader(io.LimitReader(r, maxStored))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", tag.ErrMalformed, err)
	}
	return decodeLimited(unpacked)
}

func decodeLimited(r io.Reader) (tag.Compound, error) {
	var data bytes.Buffer
	n, err := data.ReadFrom(io.LimitReader(r, tag.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", tag.ErrMalformed, err)
	}
	if n > tag.MaxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", tag.ErrMalformed, tag.MaxBytes)
	}
	return tag.Decode(data.Bytes())
}

// readLine reads the only line of a small text file, "" if the file is missing.
func readLine(root *os.Root, name string) (string, error) {
	file, err := openFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxMarker+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	line := strings.TrimSpace(string(data))
	if len(data) > maxMarker || strings.ContainsAny(line, "\n\r") {
		return "", fmt.Errorf("%s: %w: not one line of at most %d bytes", name, tag.ErrMalformed, maxMarker)
	}
	return strings.ToValidUTF8(line, "?"), nil
}
