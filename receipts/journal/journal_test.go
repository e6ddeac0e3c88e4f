package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func entry(kind, image string) journal.Entry {
	return journal.Entry{At: receiptstest.Time(), Kind: kind, Image: receiptstest.Digest(image)}
}

func appendAll(t testing.TB, j *journal.Writer, entries ...journal.Entry) {
	t.Helper()
	for _, e := range entries {
		if _, err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func openJournal(t testing.TB, path string) *journal.Writer {
	t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// threeEntries returns a journal with a baseline, a halt and an admission.
func threeEntries(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := openJournal(t, path)
	halted := entry(journal.Halted, "b")
	halted.Receipt, halted.Message = receiptstest.Digest("receipt"), "join-failed <&> é"
	appendAll(t, j, entry(journal.Baseline, "a"), halted, entry(journal.Admitted, "c"))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := openJournal(t, path)
	if state := j.State(); state.Entries != 0 || state.Head != "" {
		t.Errorf("a new journal holds %+v", state)
	}
	head, err := j.Append(entry(journal.Baseline, "a"))
	if err != nil {
		t.Fatal(err)
	}
	want := statement.JournalState{Entries: 1, Head: head, Admitted: []string{receiptstest.Digest("a")}}
	if diff := cmp.Diff(want, j.State()); diff != "" {
		t.Errorf("after the baseline:\n%s", diff)
	}
	appendAll(t, j, entry(journal.Halted, "b"))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}

	again := openJournal(t, path)
	appendAll(t, again, entry(journal.Admitted, "c"))
	state := again.State()
	if again.Cut() != nil || state.Entries != 3 || !cmp.Equal(state.Admitted, []string{receiptstest.Digest("a"), receiptstest.Digest("c")}) {
		t.Errorf("opened again: cut %v, state %+v", again.Cut(), state)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, read, cut, err := journal.Read(bytes.NewReader(text))
	if err != nil || cut != nil || len(entries) != 3 {
		t.Fatalf("%d entries, cut %v, %v", len(entries), cut, err)
	}
	if diff := cmp.Diff(state, read); diff != "" {
		t.Errorf("read differently than written:\n%s", diff)
	}
	if read.Head != statement.Digest(bytes.Split(text, []byte("\n"))[2]) {
		t.Errorf("the head is not the digest of the last line")
	}
}

func TestJournalRefusesEntries(t *testing.T) {
	t.Parallel()
	j := openJournal(t, filepath.Join(t.TempDir(), "journal.jsonl"))
	bad := func(e journal.Entry) {
		t.Helper()
		if _, err := j.Append(e); err == nil {
			t.Errorf("%+v was taken", e)
		}
	}
	bad(entry(journal.Admitted, "a")) // before a baseline
	appendAll(t, j, entry(journal.Baseline, "a"))
	bad(entry(journal.Baseline, "a")) // a second one
	bad(entry("promoted", "a"))
	bad(journal.Entry{Kind: journal.Halted, Image: "game:latest"})
	bad(journal.Entry{Kind: journal.Halted, Image: receiptstest.Digest("a"), Receipt: "x"})
	long := entry(journal.Halted, "a")
	long.Message = strings.Repeat("x", 64<<10)
	bad(long)
	if state := j.State(); state.Entries != 1 {
		t.Errorf("%d entries", state.Entries)
	}
}

// A writer that is killed at any byte leaves a journal that can be read and continued.
func TestJournalKilledAtAnyByte(t *testing.T) {
	t.Parallel()
	whole := threeEntries(t)
	dir := t.TempDir()
	for length := range whole {
		text := whole[:length]
		lines := bytes.Count(text, []byte("\n"))
		complete := bytes.LastIndexByte(text, '\n') + 1
		entries, _, cut, err := journal.Read(bytes.NewReader(text))
		if err != nil || len(entries) != lines {
			t.Fatalf("cut to %d bytes: %d entries, want %d: %v", length, len(entries), lines, err)
		}
		switch {
		case complete == length && cut != nil:
			t.Fatalf("cut to %d bytes: %+v was cut off", length, cut)
		case complete < length && (cut == nil || cut.Offset != int64(complete) || !bytes.Equal(cut.Line, text[complete:])):
			t.Fatalf("cut to %d bytes: the cut is not reported: %+v", length, cut)
		}
		path := filepath.Join(dir, "journal.jsonl")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(path)
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", length, err)
		}
		next := entry(journal.Halted, "d")
		if lines == 0 {
			next.Kind = journal.Baseline
		}
		if _, err := j.Append(next); err != nil {
			t.Fatalf("cut to %d bytes: %v", length, err)
		}
		if j.State().Entries != lines+1 || (j.Cut() != nil) != (complete < length) {
			t.Fatalf("cut to %d bytes: %d entries after one more, cut %v", length, j.State().Entries, j.Cut())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		mended, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if entries, _, cut, err := journal.Read(bytes.NewReader(mended)); err != nil || cut != nil || len(entries) != lines+1 {
			t.Fatalf("cut to %d bytes and continued: %d entries, want %d, cut %v: %v", length, len(entries), lines+1, cut, err)
		}
	}
}

func TestJournalShowsChanges(t *testing.T) {
	t.Parallel()
	whole := threeEntries(t)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	join := func(parts ...[]byte) string { return string(bytes.Join(parts, nil)) }
	tests := map[string]string{
		"line dropped":       join(lines[0], lines[2]),
		"first line dropped": join(lines[1], lines[2]),
		"lines swapped":      join(lines[0], lines[2], lines[1]),
		"line doubled":       join(lines[0], lines[1], lines[1], lines[2]),
		"line changed":       strings.Replace(string(whole), "join-failed", "join-passed", 1),
		"space added":        join(lines[0][:1], []byte(" "), lines[0][1:], lines[1]),
		"empty line":         join(lines[0], []byte("\n"), lines[1]),
		"no entry":           join(lines[0], []byte("{}\n")),
		"unknown member":     join(lines[0], bytes.Replace(lines[1], []byte("{"), []byte(`{"x":1,`), 1)),
		"endless line":       join(lines[0], bytes.Repeat([]byte("x"), 1<<20)),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, _, err := journal.Read(strings.NewReader(text)); !errors.Is(err, journal.ErrChanged) {
				t.Errorf("Read: %v", err)
			}
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := journal.Open(path); !errors.Is(err, journal.ErrChanged) || !strings.Contains(err.Error(), path) {
				t.Errorf("Open: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != text {
				t.Errorf("it was written to: %v", err)
			}
		})
	}
}

func TestJournalReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken disk")
	from := io.MultiReader(bytes.NewReader(threeEntries(t)), iotestErr{broken})
	if entries, _, _, err := journal.Read(from); !errors.Is(err, broken) || len(entries) != 3 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

type iotestErr struct{ err error }

func (e iotestErr) Read([]byte) (int, error) { return 0, e.err }

func TestJournalHasOneWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := openJournal(t, path)
	if _, err := journal.Open(path); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	if out, err := otherProcess(t, path); err == nil || !strings.Contains(out, journal.ErrLocked.Error()) {
		t.Errorf("another process: %v\n%s", err, out)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := otherProcess(t, path); err != nil {
		t.Errorf("another process, once it is closed: %v\n%s", err, out)
	}
	// The other process was ended without closing it.
	openJournal(t, path)
}

const journalVariable = "REHEARSAL_TEST_JOURNAL"

// otherProcess opens the journal in a separate process, which ends without closing it.
func otherProcess(t *testing.T, path string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperOpensJournal$")
	cmd.Env = append(os.Environ(), journalVariable+"="+path)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestHelperOpensJournal is the other process. It does nothing in an ordinary test run.
func TestHelperOpensJournal(t *testing.T) {
	path := os.Getenv(journalVariable)
	if path == "" {
		return
	}
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if j.State().Entries == 0 {
		appendAll(t, j, entry(journal.Baseline, "a"))
	}
	os.Exit(0)
}

// After a disk error the journal takes no further entries.
func TestJournalAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j := openJournal(t, path)
	appendAll(t, j, entry(journal.Baseline, "a"))
	if err := j.Close(); err != nil { // the write then fails, as on a broken disk
		t.Fatal(err)
	}
	for range 2 {
		if _, err := j.Append(entry(journal.Halted, "b")); err == nil {
			t.Error("an entry was taken")
		}
	}
	if state := openJournal(t, path).State(); state.Entries != 1 {
		t.Errorf("%d entries", state.Entries)
	}
}

func TestJournalInNoDirectory(t *testing.T) {
	t.Parallel()
	if _, err := journal.Open(filepath.Join(t.TempDir(), "none", "journal.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	whole := threeEntries(f)
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, state, cut, err := journal.Read(bytes.NewReader(text))
		if state.Entries != len(entries) {
			t.Fatalf("%d entries, state says %d", len(entries), state.Entries)
		}
		if err != nil {
			return
		}
		whole := text
		if cut != nil {
			whole = text[:cut.Offset]
			if !bytes.Equal(text[cut.Offset:], cut.Line) {
				t.Fatalf("the cut is reported wrongly")
			}
		}
		if lines := bytes.Count(whole, []byte("\n")); lines != len(entries) {
			t.Fatalf("%d lines, %d entries", lines, len(entries))
		}
		if _, again, _, err := journal.Read(bytes.NewReader(whole)); err != nil || !cmp.Equal(state, again) {
			t.Fatalf("the complete part reads differently: %v", err)
		}
	})
}

// A full journal takes no further entry, because nobody could read it.
func TestJournalIsFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, longJournal(1<<16), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(t, path).Append(entry(journal.Halted, "a")); err == nil || !strings.Contains(err.Error(), "full with 65536 entries in ") {
		t.Errorf("got %v", err)
	}
}

// A journal with few entries and many bytes is full too, and Read stops at the limit.
func TestJournalOfManyBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path)
	large := entry(journal.Baseline, "a")
	large.Message = strings.Repeat("x", 63<<10)
	var err error
	count := 0
	for ; err == nil; count++ {
		_, err = j.Append(large)
		large.Kind = journal.Halted
	}
	if !strings.Contains(err.Error(), "it is full with ") || count < 1000 {
		t.Errorf("after %d entries: %v", count, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if entries, _, _, err := journal.Read(bytes.NewReader(text)); err != nil || len(entries) != count-1 {
		t.Errorf("%d entries of %d, %v", len(entries), count-1, err)
	}
	if _, _, _, err := journal.Read(io.MultiReader(bytes.NewReader(text), strings.NewReader(strings.Repeat(" ", 60<<10)+"\n"), bytes.NewReader(text))); !errors.Is(err, journal.ErrChanged) {
		t.Errorf("beyond its end: %v", err)
	}
}

// longJournal returns a valid journal of n entries. It may exceed the limit.
func longJournal(n int) []byte {
	previous, text := "", new(bytes.Buffer)
	for i := range n {
		kind := journal.Halted
		if i == 0 {
			kind = journal.Baseline
		}
		line := fmt.Sprintf(`{"sequence":%d,"previous":%q,"at":"2026-11-11T09:00:00Z","kind":%q,"image":%q}`, i+1, previous, kind, receiptstest.Digest("a"))
		previous = statement.Digest([]byte(line))
		text.WriteString(line + "\n")
	}
	return text.Bytes()
}

// Read refuses a journal with too many valid entries.
func TestJournalWithTooManyEntries(t *testing.T) {
	t.Parallel()
	if entries, _, _, err := journal.Read(bytes.NewReader(longJournal(1<<16 + 1))); !errors.Is(err, journal.ErrChanged) || len(entries) != 1<<16 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}
