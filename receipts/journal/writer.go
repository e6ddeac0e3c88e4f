package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/atomicfile"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ErrLocked is returned where another process writes the journal.
var ErrLocked = errors.New("journal is being written by another process")

// Journal is an append-only, hash-linked file of Entries, one a line. One process at a time may write it; anybody may
// read it with ReadJournal. An Append that returned is on the disk.
type Writer struct {
	file  *os.File
	state statement.JournalState
	size  int64
	cut   *Cut
	err   error // of an Append that may have left half a line; the journal must be opened anew
}

// OpenJournal opens a journal for writing, and makes it where there is none. An unfinished last line is cut off; see
// Cut. The error wraps ErrLocked where another process has it open, and ErrJournal where it was changed: then nothing
// is written.
func Open(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &Writer{file: file}
	if err := j.recover(path); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), file.Close())
	}
	return j, nil
}

func (j *Writer) recover(path string) error {
	if err := lock(j.file); err != nil {
		return err
	}
	var err error
	if _, j.state, j.cut, err = Read(j.file); err != nil {
		return err
	}
	if j.cut != nil {
		if err := j.file.Truncate(j.cut.Offset); err != nil {
			return err
		}
	}
	if j.size, err = j.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	return errors.Join(j.file.Sync(), atomicfile.SyncDir(filepath.Dir(path)))
}

// Append adds an entry; its Sequence and Previous are filled in. It returns the digest of the line. After an error of
// the disk the Journal takes no more entries: it must be opened anew, which cuts off what is unfinished.
func (j *Writer) Append(entry Entry) (string, error) {
	if j.err != nil {
		return "", j.err
	}
	entry.Sequence, entry.Previous = j.state.Entries+1, j.state.Head
	if err := entry.validate(); err != nil {
		return "", fmt.Errorf("journal: %w", err)
	}
	line, err := entry.line()
	if err != nil {
		return "", fmt.Errorf("journal: %w", err)
	}
	if j.state.Entries == maxEntries || j.size+int64(len(line)) > maxJournal {
		return "", fmt.Errorf("journal: it is full with %d entries in %d bytes: begin another", j.state.Entries, j.size)
	}
	if _, err := j.file.Write(line); err != nil {
		j.err = err
		return "", err
	}
	if err := j.file.Sync(); err != nil {
		j.err = err
		return "", err
	}
	add(&j.state, entry, line)
	j.size += int64(len(line))
	return j.state.Head, nil
}

// State is what the entries come to so far, as a receipt records it.
func (j *Writer) State() statement.JournalState {
	state := j.state
	state.Admitted = slices.Clone(state.Admitted)
	return state
}

// Cut is the unfinished line that was cut off when the journal was opened, nil where there was none.
func (j *Writer) Cut() *Cut { return j.cut }

// Close lets other processes write the journal.
func (j *Writer) Close() error { return errors.Join(unlock(j.file), j.file.Close()) }
