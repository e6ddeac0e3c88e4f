package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

// exitCannot is the exit code where no answer could be found: something could not be read.
const exitCannot = 3

// bundleSuffix marks files with one envelope a line.
const bundleSuffix = ".intoto.jsonl"

// signedInputs hands out the signed documents of files, directories and, for "-", of the standard input, one at a
// time. Err tells what could not be read; the documents after it were not handed out.
type signedInputs struct {
	paths []string
	stdin io.Reader
	// beside is the directory of the document that is handed out, "" for one of the standard input.
	beside string
	err    error
}

func (s *signedInputs) Err() error { return s.err }

// All hands out the documents.
func (s *signedInputs) All(yield func(gate.Input) bool) {
	for _, path := range s.paths {
		if more, err := s.path(path, yield); err != nil || !more {
			s.err = err
			return
		}
	}
}

func (s *signedInputs) path(path string, yield func(gate.Input) bool) (more bool, err error) {
	if path == "-" {
		s.beside = ""
		return lines("standard input", s.stdin, yield)
	}
	files, err := rundir.Files(path)
	if err != nil {
		return false, unwrapPath(err)
	}
	for _, name := range files {
		s.beside = filepath.Dir(name)
		if more, err := readFile(name, yield); err != nil || !more {
			return false, unwrapPath(err)
		}
	}
	return true, nil
}

func readFile(name string, yield func(gate.Input) bool) (more bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	if strings.HasSuffix(name, bundleSuffix) {
		return lines(name, file, yield)
	}
	raw, err := rundir.ReadEnvelope(file)
	if err != nil {
		return false, err
	}
	return yield(gate.Input{Name: printable(name), Raw: raw}), nil
}

func readEnvelope(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return rundir.ReadEnvelope(file)
}

// lines hands out the envelopes of a bundle, one a line. A line above the limit is handed out cut, to be refused.
func lines(name string, from io.Reader, yield func(gate.Input) bool) (more bool, err error) {
	name = printable(name) // of a stranger's choice, and it gets into JSON
	reader := bufio.NewReaderSize(from, 64<<10)
	for number := 1; ; number++ {
		raw, err := readLine(reader)
		if len(bytes.TrimSpace(raw)) > 0 && !yield(gate.Input{Name: fmt.Sprintf("%s:%d", name, number), Raw: raw}) {
			return false, nil
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
	}
}

// readLine reads a line without its end, and keeps at most one byte more of it than an envelope may have.
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

// unwrapPath leaves out the name of the system call: "runs: no such file or directory".
func unwrapPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pathError.Path, pathError.Err)
	}
	return err
}

// readKeys reads public keys from files.
func readKeys(paths []string) ([]dsse.Key, error) {
	var keys []dsse.Key
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, unwrapPath(err)
		}
		key, err := dsse.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// usageError is about wrong flags or arguments.
func usageError(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

// cannot is about something that could not be read.
func cannot(err error) error { return exitError{exitCannot, err} }

// wantPaths refuses a command line without paths.
func wantPaths(args []string) error {
	if len(args) == 0 {
		return usageError("no path given: name files, directories with *.intoto.json, or - for standard input")
	}
	return nil
}

// printable makes text of strangers safe for a terminal: what does not show as itself, such as control characters,
// changes of direction and invisible letters, is replaced.
func printable(s string) string {
	const blank = "\u115f\u1160\u2800\u3164\uffa0" // letters and a symbol by their class, of which nothing is seen
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && !strings.ContainsRune(blank, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// printableLines is printable for text of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
