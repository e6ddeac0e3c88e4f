package verification

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// journal verifies the rollout journal in the directory of a receipt. It may have grown since the receipt was written: the
// entries of then must still be there, and the later ones must rest on this receipt.
func (v *verifier) journal(name, dir string, document *attestation.Document) {
	r := document.Receipt
	if !namesFile(r.Run.Scenario, r.Environment.Architecture) {
		v.say(Refused, name, "scenario %q and architecture %q name no journal file", r.Run.Scenario, r.Environment.Architecture)
		return
	}
	path := filepath.Join(dir, statement.JournalFile(r.Run.Scenario, r.Environment.Architecture))
	entries, state, cut, err := readJournal(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return // a receipt needs no journal
	case err == nil && !holds(entries, state, r.Journal):
		err = fmt.Errorf("it does not hold what the receipt saw, up to entry %d", r.Journal.Entries)
	case err == nil:
		err = restsOn(entries[r.Journal.Entries:], document)
	}
	if err != nil {
		v.say(Refused, path, "%v", err)
		return
	}
	v.say(Verified, path, "journal up to entry %d, of which the receipt saw %d%s", state.Entries, r.Journal.Entries, unfinished(cut))
}

// restsOn refuses entries after a receipt that are not about its candidate, name another receipt, or admit the candidate
// where the receipt does not.
func restsOn(later []journal.Entry, document *attestation.Document) error {
	r := document.Receipt
	admissible := r.Verdict == statement.Passed && r.Disposition.Promotable()
	for _, entry := range later {
		switch {
		case entry.Image != r.Candidate.Digest || entry.Receipt != document.Digest:
			return fmt.Errorf("entry %d is about image %s by receipt %q, not about the candidate by this receipt", entry.Sequence, entry.Image, entry.Receipt)
		case entry.Kind == journal.Admitted && !admissible:
			return fmt.Errorf("entry %d admits the candidate, of which the receipt says %s, %s", entry.Sequence, r.Verdict, r.Disposition)
		}
	}
	return nil
}

// namesFile says whether scenario and architecture, which strangers write, name a file inside the directory. The slash of
// a scenario does not get into the name of its file.
func namesFile(scenario, architecture string) bool {
	return !strings.ContainsAny(scenario, "\\\x00") && !strings.ContainsAny(architecture, "/\\\x00") &&
		!strings.Contains(scenario+" "+architecture, "..")
}

// readJournal reads only a regular file: a pipe may never end, or never begin.
func readJournal(path string) ([]journal.Entry, statement.JournalState, *journal.Cut, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, statement.JournalState{}, nil, err
	case err != nil:
		return nil, statement.JournalState{}, nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, statement.JournalState{}, nil, errors.New("not a regular file: it is not read as a journal")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, statement.JournalState{}, nil, errors.Unwrap(err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return journal.Read(file)
}

// holds says whether a journal begins with the entries that a receipt saw.
func holds(entries []journal.Entry, state, seen statement.JournalState) bool {
	if seen.Entries < 0 || seen.Entries > len(entries) {
		return false
	}
	head := state.Head
	if seen.Entries < len(entries) {
		head = entries[seen.Entries].Previous
	}
	var admitted []string
	for _, entry := range entries[:seen.Entries] {
		if entry.Kind != journal.Halted {
			admitted = append(admitted, entry.Image)
		}
	}
	return seen.Head == head && slices.Equal(seen.Admitted, admitted)
}

func unfinished(cut *journal.Cut) string {
	if cut == nil {
		return ""
	}
	return fmt.Sprintf(", and an unfinished line of %d bytes at byte %d", len(cut.Line), cut.Offset)
}
