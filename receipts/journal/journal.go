// Package journal reads and appends to a rollout journal: a file of entries, one a line, each with the digest of the one
// before it.
package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Kinds of journal entries.
const (
	Baseline = "baseline" // what the fleet runs when the rollout begins
	Halted   = "halted"   // the candidate is not to be adopted
	Admitted = "admitted" // the candidate may be adopted
)

// Entry is one line of a rollout journal.
type Entry struct {
	Sequence int       `json:"sequence"` // 1 for the first
	Previous string    `json:"previous"` // digest of the line before, "" for the first
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"`
	Image    string    `json:"image"`             // image digest that the entry is about
	Receipt  string    `json:"receipt,omitempty"` // digest of the receipt that it rests on
	Message  string    `json:"message,omitempty"` // for people
}

// maxEntry is the size in bytes of the longest line of a journal.
const maxEntry = 64 << 10

// maxEntries is how many entries a journal may have, and maxJournal how many bytes: reading one must not claim memory
// without end.
const (
	maxEntries = 1 << 16
	maxJournal = 64 << 20
)

// ErrJournal is wrapped by the error about a journal that was changed: a line that is no entry, or that does not
// follow from the line before it.
var ErrChanged = errors.New("journal was changed")

// Cut is the unfinished line at the end of a journal whose writer was stopped in the middle of it. It was never
// acknowledged.
type Cut struct {
	Offset int64  // where the line begins: the journal is whole up to here
	Line   []byte // what there is of it
}

// ReadJournal reads a journal to its end. It returns the entries, the state that they come to, and the unfinished
// last line where there is one. Every entry must follow from the one before it; the error wraps ErrJournal where one
// does not, and the entries before it are returned.
func Read(from io.Reader) (entries []Entry, state statement.JournalState, cut *Cut, err error) {
	lines := bufio.NewReaderSize(from, maxEntry)
	var offset int64
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				cut = &Cut{Offset: offset, Line: bytes.Clone(line)}
			}
			return entries, state, cut, nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return entries, state, nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrChanged, len(entries)+1, maxEntry)
		}
		if err != nil {
			return entries, state, nil, err
		}
		if offset += int64(len(line)); offset > maxJournal {
			return entries, state, nil, fmt.Errorf("%w: line %d: more than %d bytes in all", ErrChanged, len(entries)+1, maxJournal)
		}
		entry, err := follow(&state, line)
		if err != nil {
			return entries, state, nil, fmt.Errorf("%w: line %d: %w", ErrChanged, len(entries)+1, err)
		}
		entries = append(entries, entry)
	}
}

// follow reads a line and adds it to the state.
func follow(s *statement.JournalState, line []byte) (Entry, error) {
	var entry Entry
	if err := strictjson.Decode(string(line), &entry); err != nil {
		return Entry{}, err
	}
	if s.Entries == maxEntries {
		return Entry{}, fmt.Errorf("more than %d entries", maxEntries)
	}
	if entry.Sequence != s.Entries+1 || entry.Previous != s.Head {
		return Entry{}, fmt.Errorf("entry %d after %q does not follow entry %d, %q", entry.Sequence, entry.Previous, s.Entries, s.Head)
	}
	if err := entry.validate(); err != nil {
		return Entry{}, err
	}
	add(s, entry, line)
	return entry, nil
}

func add(s *statement.JournalState, entry Entry, line []byte) {
	s.Entries++
	s.Head = statement.Digest(bytes.TrimSuffix(line, []byte("\n")))
	if entry.Kind != Halted {
		s.Admitted = append(s.Admitted, entry.Image)
	}
}

func (e Entry) validate() error {
	switch {
	case e.Kind != Baseline && e.Kind != Halted && e.Kind != Admitted:
		return fmt.Errorf("unknown kind %q", e.Kind)
	case !statement.IsDigest(e.Image):
		return fmt.Errorf("image %q is not a digest", e.Image)
	case e.Receipt != "" && !statement.IsDigest(e.Receipt):
		return fmt.Errorf("receipt %q is not a digest", e.Receipt)
	case (e.Kind == Baseline) != (e.Sequence == 1):
		return errors.New("a journal begins with its baseline, and has one")
	}
	return nil
}

// line writes an entry as one line.
func (e Entry) line() ([]byte, error) {
	text, err := strictjson.Encode(strictjson.Normalized(e))
	if err != nil {
		return nil, err
	}
	if len(text) >= maxEntry {
		return nil, fmt.Errorf("entry of %d bytes: less than %d", len(text), maxEntry)
	}
	return append(text, '\n'), nil
}
