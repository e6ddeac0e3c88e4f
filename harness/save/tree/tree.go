// Package tree makes a manifest of a directory: every path with its kind, size and sha256, and one digest over all of
// them. Two trees have the same digest exactly if they have the same content under the same names. Owners, modes and
// times do not count: a restore may change them.
//
// It reads a tree file by file: the digest of a tree that changes meanwhile is a mixture.
package tree

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Kinds of entries. Only files have content; a link counts by its target and is never followed.
const (
	KindFile  = "file"
	KindDir   = "dir"
	KindLink  = "link"
	KindOther = "other" // socket, pipe, device: only its presence counts
)

// MaxDepth limits the nesting of directories.
const MaxDepth = 128

// ErrLimit is wrapped by errors about a tree that is over the limits.
var ErrLimit = errors.New("tree is over the limit")

// Limits bound a tree: otherwise whoever fills a volume would decide how long reading takes. A zero field takes the
// value of DefaultLimits.
type Limits struct {
	Entries int   // paths of any kind
	Bytes   int64 // of all files, by apparent size: holes count
}

// DefaultLimits leave room for large worlds: a region file, of up to 1024 chunks, is seldom larger than 16 MiB.
var DefaultLimits = Limits{Entries: 1_000_000, Bytes: 64 << 30}

func (l Limits) withDefaults() Limits {
	return Limits{Entries: cmp.Or(l.Entries, DefaultLimits.Entries), Bytes: cmp.Or(l.Bytes, DefaultLimits.Bytes)}
}

// Entry is one path.
type Entry struct {
	Path   string `json:"path"` // relative to the root, with slashes
	Kind   string `json:"kind"`
	Size   int64  `json:"size,omitempty"`   // bytes of a file
	SHA256 string `json:"sha256,omitempty"` // of a file's content
	Target string `json:"target,omitempty"` // of a link
}

// MarshalJSON writes paths and targets that are not UTF-8 as Go's quoted strings, and also those that look quoted.
// Otherwise JSON would make different names equal.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	e.Path, e.Target = escape(e.Path), escape(e.Target)
	return json.Marshal(plain(e))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Entry) UnmarshalJSON(text []byte) error {
	type plain Entry
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode((*plain)(e)); err != nil {
		return err
	}
	for _, name := range []*string{&e.Path, &e.Target} {
		if !strings.HasPrefix(*name, `"`) {
			continue
		}
		var err error
		if *name, err = strconv.Unquote(*name); err != nil {
			return fmt.Errorf("path %s: %w", *name, err)
		}
	}
	return nil
}

func escape(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return strconv.Quote(name)
}

// Manifest is the content of a directory.
type Manifest struct {
	Digest   string   `json:"digest"` // sha256 over the lines of the entries
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Excluded []string `json:"excluded"` // excluded patterns
	Entries  []Entry  `json:"entries"`  // sorted by path
}

// Hash reads the directory at root. It excludes paths that match one of the patterns, and everything below them. A
// pattern applies to the whole relative path, as in path.Match. The patterns are part of the digest, since they decide
// what it covers. Hash reads within DefaultLimits.
func Hash(ctx context.Context, root string, exclude ...string) (Manifest, error) {
	return HashWithin(ctx, root, DefaultLimits, exclude...)
}

// HashWithin is Hash with the caller's limits. Over the limits, the error wraps ErrLimit.
func HashWithin(ctx context.Context, root string, limits Limits, exclude ...string) (Manifest, error) {
	exclude = slices.Sorted(slices.Values(exclude))
	for _, pattern := range exclude {
		if _, err := path.Match(pattern, ""); err != nil {
			return Manifest{}, fmt.Errorf("exclude %q: %w", pattern, err)
		}
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return Manifest{}, err
	}
	defer dir.Close()
	w := walker{ctx: ctx, dir: dir, exclude: exclude, left: limits.withDefaults()}
	if err := w.walk("."); err != nil {
		return Manifest{}, fmt.Errorf("hash %s: %w", root, err)
	}
	sort.Slice(w.entries, func(i, j int) bool { return w.entries[i].Path < w.entries[j].Path })
	return manifestOf(exclude, w.entries), nil
}

type walker struct {
	ctx     context.Context
	dir     *os.Root
	exclude []string
	entries []Entry
	left    Limits // remaining
}

// walk reads a directory recursively. It does not use io/fs, whose walk refuses names that are not UTF-8.
func (w *walker) walk(dir string) error {
	entries, err := w.list(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if w.excluded(name) {
			continue
		}
		if err := w.add(name, entry); err != nil {
			return err
		}
		if entry.Type().IsDir() {
			if err := w.walk(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// list reads the names in a directory, and hardly more than the limits still allow.
func (w *walker) list(dir string) ([]fs.DirEntry, error) {
	file, err := w.dir.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.ReadDir(w.left.Entries + len(w.exclude) + 1)
	if errors.Is(err, io.EOF) { // empty directory
		err = nil
	}
	return entries, err
}

func (w *walker) add(name string, entry fs.DirEntry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.left.Entries == 0 {
		return fmt.Errorf("%w: more than %d entries", ErrLimit, len(w.entries))
	}
	w.left.Entries--
	if strings.Count(name, "/") >= MaxDepth {
		return fmt.Errorf("%w: %.80q is deeper than %d directories", ErrLimit, name, MaxDepth)
	}
	e, err := w.read(name, entry.Type())
	if err != nil {
		return err
	}
	w.entries = append(w.entries, e)
	return nil
}

func (w *walker) excluded(name string) bool {
	return slices.ContainsFunc(w.exclude, func(pattern string) bool {
		matched, _ := path.Match(pattern, name) // the patterns are valid
		return matched
	})
}

func (w *walker) read(name string, mode fs.FileMode) (Entry, error) {
	switch mode.Type() {
	case 0:
		return w.readFile(name)
	case fs.ModeDir:
		return Entry{Path: name, Kind: KindDir}, nil
	case fs.ModeSymlink:
		target, err := w.dir.Readlink(name)
		return Entry{Path: name, Kind: KindLink, Target: target}, err
	}
	return Entry{Path: name, Kind: KindOther}, nil
}

// readFile opens without blocking: the file may have become a pipe.
func (w *walker) readFile(name string) (Entry, error) {
	file, err := w.dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return Entry{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Entry{}, err
	}
	if !info.Mode().IsRegular() {
		return Entry{}, fmt.Errorf("%.80q: no longer a regular file: %w", name, fs.ErrNotExist)
	}
	if info.Size() > w.left.Bytes { // checked before reading: it may be a hole of a terabyte
		return Entry{}, w.tooLarge(name, info.Size())
	}
	hash := sha256.New()
	size, err := io.Copy(hash, io.LimitReader(contextReader{w.ctx, file}, w.left.Bytes+1))
	if err != nil {
		return Entry{}, fmt.Errorf("%.80q: %w", name, err)
	}
	if size > w.left.Bytes { // the file grew
		return Entry{}, w.tooLarge(name, size)
	}
	w.left.Bytes -= size
	return Entry{Path: name, Kind: KindFile, Size: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

func (w *walker) tooLarge(name string, size int64) error {
	return fmt.Errorf("%w: %.80q has %d bytes, and only %d more may be read", ErrLimit, name, size, w.left.Bytes)
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func manifestOf(exclude []string, entries []Entry) Manifest {
	m := Manifest{Excluded: exclude, Entries: entries}
	if m.Excluded == nil {
		m.Excluded = []string{}
	}
	if m.Entries == nil {
		m.Entries = []Entry{}
	}
	hash := sha256.New()
	for _, pattern := range exclude {
		fmt.Fprintf(hash, "exclude %q\n", pattern)
	}
	for _, e := range entries {
		fmt.Fprintln(hash, e.line())
		if e.Kind == KindFile {
			m.Files++
			m.Bytes += e.Size
		}
	}
	m.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return m
}

// line is an entry's part of the digest. Names are quoted, so that no name can look like two.
func (e Entry) line() string {
	return fmt.Sprintf("%s %d %s %q %q", e.Kind, e.Size, e.SHA256, e.Path, e.Target)
}

// Check verifies that a manifest's digest matches its entries.
func (m Manifest) Check() error {
	if want := manifestOf(m.Excluded, m.Entries); want.Digest != m.Digest || want.Files != m.Files || want.Bytes != m.Bytes {
		return errors.New("the manifest's digest does not match its entries")
	}
	return nil
}

// ErrChanged is wrapped by the error of Compare.
var ErrChanged = errors.New("trees differ")

// Compare names the first paths in which two manifests differ, or returns nil.
func Compare(before, after Manifest) error {
	if before.Digest == after.Digest {
		return nil
	}
	const most = 10
	lines := diff(before, after)
	more := ""
	if len(lines) > most {
		more = fmt.Sprintf(" and %d more", len(lines)-most)
		lines = lines[:most]
	}
	return fmt.Errorf("%w: %s%s", ErrChanged, strings.Join(lines, ", "), more)
}

// shown is a path for display: quoted if it could mislead.
func shown(path string) string {
	if quoted := strconv.Quote(path); quoted[1:len(quoted)-1] != path {
		return quoted
	}
	return path
}

func diff(before, after Manifest) []string {
	old := map[string]Entry{}
	for _, e := range before.Entries {
		old[e.Path] = e
	}
	var lines []string
	for _, e := range after.Entries {
		was, known := old[e.Path]
		delete(old, e.Path)
		switch {
		case !known:
			lines = append(lines, "added "+shown(e.Path))
		case was != e:
			lines = append(lines, "changed "+shown(e.Path))
		}
	}
	for _, e := range before.Entries {
		if _, gone := old[e.Path]; gone {
			lines = append(lines, "removed "+shown(e.Path))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "the exclude patterns differ")
	}
	return lines
}
