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

// ErrLocked is wrapped by the error of Open if another process writes the journal.
var ErrLocked = errors.New("journal is being written by another process")

// Writer appends entries to a journal. One process at a time may write a journal; any process may read it with Read. An
// entry is on the disk when Append returns.
type Writer struct {
	file  *os.File
	state statement.JournalState
	size  int64
	cut   *Cut
	err   error // of an Append that may have written half a line
}

// Open opens a journal for writing, and creates it if it does not exist. It cuts off an unfinished last line: see Cut. The
// error wraps ErrLocked if another process writes the journal, and ErrChanged if the journal was changed. Open then writes
// nothing.
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

// Append adds an entry and returns the digest of its line. It fills in Sequence and Previous. After a disk error the Writer
// takes no further entries: open the journal again, which cuts off an unfinished line.
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

// State returns the state of the journal in the form that a receipt records.
func (j *Writer) State() statement.JournalState {
	state := j.state
	state.Admitted = slices.Clone(state.Admitted)
	return state
}

// Cut returns the unfinished line that Open cut off, or nil.
func (j *Writer) Cut() *Cut { return j.cut }

// Close releases the journal. Other processes may then write it.
func (j *Writer) Close() error { return errors.Join(unlock(j.file), j.file.Close()) }
