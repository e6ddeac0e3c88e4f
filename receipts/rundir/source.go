package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Source hands out signed documents one at a time, so that a large run needs little memory. A path is a file, a
// directory (see Files), a bundle with one envelope a line (*.intoto.jsonl), or "-" for a bundle on standard input.
type Source struct {
	Paths []string
	Stdin io.Reader // what "-" reads; where it is nil, "-" is the name of a file

	err error
}

// Document is one signed document and the directory that it lies in, "" for one on standard input. The name of the
// input is made printable, because it gets into reports.
type Document struct {
	gate.Input
	Dir string
}

// Err tells what could not be read. The documents after it were not handed out.
func (s *Source) Err() error { return s.err }

// All is the sequence of the documents that gate.Decide takes.
func (s *Source) All(yield func(gate.Input) bool) {
	s.Documents(func(d Document) bool { return yield(d.Input) })
}

// Documents is the sequence of the documents with their directories.
func (s *Source) Documents(yield func(Document) bool) {
	for _, path := range s.Paths {
		if more, err := s.read(path, yield); err != nil || !more {
			s.err = err
			return
		}
	}
}

func (s *Source) read(path string, yield func(Document) bool) (more bool, err error) {
	if path == "-" && s.Stdin != nil {
		more, err := readBundle("standard input", "", s.Stdin, yield)
		if err != nil {
			return false, fmt.Errorf("standard input: %w", err)
		}
		return more, nil
	}
	files, err := Files(path)
	if err != nil {
		return false, err
	}
	for _, name := range files {
		if more, err := readFile(name, yield); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func readFile(name string, yield func(Document) bool) (more bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	shown, dir := printable.Line(name), filepath.Dir(name)
	if strings.HasSuffix(name, statement.BundleExtension) {
		return readBundle(shown, dir, file, yield)
	}
	raw, err := ReadEnvelope(file)
	if err != nil {
		return false, err
	}
	return yield(Document{gate.Input{Name: shown, Raw: raw}, dir}), nil
}

// readBundle hands out the envelopes of a bundle. It cuts a line above the limit, which is refused later.
func readBundle(name, dir string, from io.Reader, yield func(Document) bool) (more bool, err error) {
	reader := bufio.NewReaderSize(from, 64<<10)
	for number := 1; ; number++ {
		raw, err := readLine(reader)
		if len(bytes.TrimSpace(raw)) > 0 && !yield(Document{gate.Input{Name: fmt.Sprintf("%s:%d", name, number), Raw: raw}, dir}) {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// readLine reads a line without its end. It holds at most one byte more of it than an envelope may have.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		if room := dsse.MaxEnvelope + 1 - len(line); len(part) > room {
			part = part[:room]
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}
