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

// entrySuffix cannot be in a cluster's name, and so keeps entries apart from the
// state directories that may lie beside them.
const entrySuffix = ".json"

// errLocked means that a live process has the entry.
var errLocked = errors.New("in use by a run at work")

// entry is a cluster's file in the index: the mark by which the cluster is known as
// ours, made before the first container and removed after the last. A name proves
// nothing, since anybody may give a kind cluster the same.
//
// Who has it holds its lock. The kernel gives that up when the process dies,
// whatever killed it. The descriptor is a plain number: an os.File would be closed,
// and the lock lost, once its owner is garbage.
type entry struct {
	path  string
	fd    int
	close sync.Once
}

// entryState is one line of an entry. There are several if a cluster was attached
// to with another state directory.
type entryState struct {
	StateDir string `json:"stateDir"`
}

// entryPath is the place of a cluster's entry in the index of this user.
func entryPath(name string) (string, error) {
	root, err := stateRoot()
	return filepath.Join(root, name+entrySuffix), err
}

// makeEntry opens and locks an entry, an empty one if there is none. The error is
// errLocked if a live process has it.
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
		// Removed by its last owner between opening and locking.
		e.release()
	}
}

// current tells whether the file that is locked is still the one of that path.
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

// readStates returns the state directories in an entry. An empty one marks nothing:
// its process died before it made anything.
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
		// The last line of a process that was killed may be cut off.
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return states, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		states = append(states, line.StateDir)
	}
}

// remove takes the entry out of the index, unless it is another's by now.
func (e *entry) remove() error {
	defer e.release()
	if !e.current() {
		return nil
	}
	return os.Remove(e.path)
}

// leave gives the entry back as it was found.
func (e *entry) leave() {
	if states, err := readStates(e.path); err == nil && len(states) == 0 {
		_ = e.remove()
		return
	}
	e.release()
}

// release gives up the lock; the entry stays.
func (e *entry) release() {
	e.close.Do(func() {
		_ = syscall.Close(e.fd)
		e.fd = -1
	})
}
