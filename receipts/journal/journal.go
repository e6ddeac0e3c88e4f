// Package journal reads and writes rollout journals. A journal is a file with one entry a line, and each entry holds the
// digest of the previous line.
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
	Baseline = "baseline" // the image that the fleet runs when the rollout begins
	Halted   = "halted"   // no server may adopt the candidate
	Admitted = "admitted" // servers may adopt the candidate
)

// Entry is one line of a rollout journal.
type Entry struct {
	Sequence int       `json:"sequence"` // 1 for the first
	Previous string    `json:"previous"` // digest of the previous line, "" for the first
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"`
	Image    string    `json:"image"`             // digest of the image that the entry is about
	Receipt  string    `json:"receipt,omitempty"` // digest of the receipt that the entry rests on
	Message  string    `json:"message,omitempty"` // for people
}

// maxEntry is the maximum length of a line in bytes.
const maxEntry = 64 << 10

// maxEntries and maxJournal bound the entries and the bytes of a journal, and with them the memory of a reader.
const (
	maxEntries = 1 << 16
	maxJournal = 64 << 20
)

// ErrChanged is wrapped by the error about a journal that was changed: a line that is no entry, or that does not follow the
// previous line.
var ErrChanged = errors.New("journal was changed")

// Cut is the unfinished line at the end of a journal whose writer stopped in the middle of a write. No Append returned for
// it.
type Cut struct {
	Offset int64  // where the line begins; everything before it is complete
	Line   []byte // the bytes that were written
}

// Read reads a journal to its end. It returns the entries, the resulting state, and the unfinished last line, if any. If an
// entry does not follow the previous one, the error wraps ErrChanged, and Read returns the entries before it.
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
		entry, err := readLine(&state, line)
		if err != nil {
			return entries, state, nil, fmt.Errorf("%w: line %d: %w", ErrChanged, len(entries)+1, err)
		}
		entries = append(entries, entry)
	}
}

// readLine reads the next line and adds its entry to the state.
func readLine(s *statement.JournalState, line []byte) (Entry, error) {
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

// line encodes an entry as one line.
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
