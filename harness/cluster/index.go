package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// entrySuffix cannot occur in a cluster's name, so entries and state directories
// never collide.
const entrySuffix = ".json"

// errLocked means that a live process holds the entry.
var errLocked = errors.New("another run uses it")

// entry is a cluster's file in the index. It proves that the harness made the
// cluster: it exists from before the first container until after the last. A name
// proves nothing, since anybody can give it to a kind cluster.
//
// The owner holds the file's lock. The kernel releases it when the process dies,
// however it dies. The descriptor is a plain number: garbage collection would close
// an os.File and release the lock.
type entry struct {
	path  string
	fd    int
	close sync.Once
}

// entryState is one line of an entry. Attaching with another state directory adds a
// line.
type entryState struct {
	StateDir string `json:"stateDir"`
}

// entryPath is the path of a cluster's entry in this user's index.
func entryPath(name string) (string, error) {
	root, err := stateRoot()
	return filepath.Join(root, name+entrySuffix), err
}

// makeEntry opens and locks an entry, and creates it if it is missing. The error is
// errLocked if a live process holds it.
func makeEntry(path string) (*entry, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("index of clusters: %w", err)
	}
	return lockEntry(path, syscall.O_CREAT)
}

// lockEntry opens an entry, with flags of open(2), and locks it.
func lockEntry(path string, flags int) (*entry, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_RDWR|syscall.O_APPEND|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		e := &entry{path: path, fd: fd}
		if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			e.release()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errLocked
			}
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		if e.current() {
			return e, nil
		}
		// The last owner removed it between opening and locking.
		e.release()
	}
}

// current reports whether the path still names the locked file.
func (e *entry) current() bool {
	var locked, found syscall.Stat_t
	if syscall.Fstat(e.fd, &locked) != nil || syscall.Lstat(e.path, &found) != nil {
		return false
	}
	return locked.Dev == found.Dev && locked.Ino == found.Ino
}

// add records a state directory.
func (e *entry) add(stateDir string) error {
	states, err := readStates(e.path)
	if err != nil || slices.Contains(states, stateDir) {
		return err
	}
	line, err := json.Marshal(entryState{stateDir})
	if err != nil {
		return err
	}
	if _, err := syscall.Write(e.fd, append(line, '\n')); err != nil {
		return &fs.PathError{Op: "write", Path: e.path, Err: err}
	}
	return nil
}

// readStates returns the state directories in an entry. An empty entry marks
// nothing: its process died before it created anything.
func readStates(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const limit = 1 << 20
	var states []string
	for lines := json.NewDecoder(io.LimitReader(file, limit)); ; {
		var line entryState
		err := lines.Decode(&line)
		// A killed process may leave a cut-off last line.
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return states, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		states = append(states, line.StateDir)
	}
}

// remove removes the entry from the index, unless another process owns it by now.
func (e *entry) remove() error {
	defer e.release()
	if !e.current() {
		return nil
	}
	return os.Remove(e.path)
}

// leave returns the entry as it was found.
func (e *entry) leave() {
	if states, err := readStates(e.path); err == nil && len(states) == 0 {
		_ = e.remove()
		return
	}
	e.release()
}

// release releases the lock; the entry stays.
func (e *entry) release() {
	e.close.Do(func() {
		_ = syscall.Close(e.fd)
		e.fd = -1
	})
}
