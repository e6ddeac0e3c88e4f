package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// engine is a docker command that knows some containers, has no images, and records
// the containers that it removes. When asked for an image, it records the index.
type engine struct{ calls, index string }

// newEngine replaces docker with a script. Each name is a kind cluster; registries
// are docker's lines about the labels of the harness's registries.
func newEngine(t *testing.T, kindClusters, registries []string) engine {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	e := engine{calls: filepath.Join(dir, "calls"), index: filepath.Join(dir, "index")}
	var script strings.Builder
	fmt.Fprintf(&script, "#!/bin/sh\necho \"$*\" >>%s\ncase \"$*\" in\ninfo*) echo x86_64 2 ;;\n", e.calls)
	fmt.Fprintf(&script, "image*) cat \"$XDG_CACHE_HOME\"/rehearsal/clusters/*%s >>%s; exit 1 ;;\n", entrySuffix, e.index)
	for _, name := range kindClusters {
		fmt.Fprintf(&script, "*label=%s=%s) echo node-of-%s ;;\n", nodeLabel, name, name)
	}
	fmt.Fprintf(&script, "*--format*label=%s*|*label=%s*--format*) printf '%%s\\n' '%s' ;;\n*--format*%s*) echo '%s' ;;\nesac\n",
		ownerRegistry, ownerRegistry, strings.Join(registries, "' '"), nodeLabel, strings.Join(kindClusters, "\n"))
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script.String()), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return e
}

// removed reports whether the cluster's node was removed.
func (e engine) removed(t *testing.T, name string) bool {
	t.Helper()
	calls, err := os.ReadFile(e.calls)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(calls), "rm --force --volumes node-of-"+name+"\n")
}

// registered creates what Create leaves in the index and on disk before kind runs.
func registered(t *testing.T, name string) (*entry, string) {
	t.Helper()
	stateDir := filepath.Join(t.TempDir(), "cluster")
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stateDir, "kubeconfig"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := entryPath(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := makeEntry(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.add(stateDir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.release)
	return e, stateDir
}

func cleanup(t *testing.T, all bool) Cleaned {
	t.Helper()
	cleaned, err := Cleanup(t.Context(), CleanupOptions{All: all})
	if err != nil {
		t.Fatal(err)
	}
	return cleaned
}

func TestCleanupLeavesWhatIsNotOurs(t *testing.T) {
	docker := newEngine(t, []string{"rehearsal-theirs", "rehearsal-logs", "rehearsal-begun"}, nil)
	path, err := entryPath("rehearsal-begun")
	if err != nil {
		t.Fatal(err)
	}
	// One process died before it checked whether the name was taken; the other left
	// only a directory.
	begun, err := makeEntry(path)
	if err != nil {
		t.Fatal(err)
	}
	begun.release()
	if err := os.MkdirAll(filepath.Join(filepath.Dir(path), "rehearsal-logs", "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		cleanup(t, all)
		for _, name := range []string{"rehearsal-theirs", "rehearsal-logs", "rehearsal-begun"} {
			if docker.removed(t, name) {
				t.Errorf("kind cluster %s was removed", name)
			}
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) > 0 {
		t.Errorf("remaining in the index: %v, %v", left, err)
	}
}

func TestCleanupOfAKilledRun(t *testing.T) {
	const name = "rehearsal-killed"
	docker := newEngine(t, []string{name}, nil) // killed before the registry started
	e, stateDir := registered(t, name)
	e.release()
	if diff := cmp.Diff(Cleaned{Removed: []string{name}}, cleanup(t, false)); diff != "" {
		t.Errorf("cleaned (-want +got):\n%s", diff)
	}
	if !docker.removed(t, name) {
		t.Error("its node remains")
	}
	for _, path := range []string{stateDir, e.path} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s remains: %v", path, err)
		}
	}
	if diff := cmp.Diff(Cleaned{}, cleanup(t, false)); diff != "" {
		t.Errorf("cleaned again (-want +got):\n%s", diff)
	}
}

func TestCleanupSkipsALiveRun(t *testing.T) {
	const name = "rehearsal-live"
	docker := newEngine(t, []string{name}, nil)
	e, stateDir := registered(t, name)
	want := Cleaned{Skipped: []Skipped{{name, errLocked.Error()}}}
	if diff := cmp.Diff(want, cleanup(t, false)); diff != "" {
		t.Errorf("cleaned (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(stateDir, "kubeconfig")); err != nil || docker.removed(t, name) {
		t.Errorf("a live run's node or kubeconfig (%v) was removed", err)
	}
	if diff := cmp.Diff(Cleaned{Removed: []string{name}}, cleanup(t, true)); diff != "" {
		t.Errorf("cleaned all (-want +got):\n%s", diff)
	}
	if !docker.removed(t, name) {
		t.Error("its node remains after a cleanup of all")
	}
	if err := e.remove(); err != nil { // as the live run does at its end
		t.Error(err)
	}
}

// TestCleanupByLabel: the entry is in another user's index or on another machine.
func TestCleanupByLabel(t *testing.T) {
	const name = "rehearsal-labelled"
	elsewhere := filepath.Join(t.TempDir(), name+entrySuffix)
	registry := strings.Join([]string{name, filepath.Join(t.TempDir(), "gone"), elsewhere}, "\t")
	docker := newEngine(t, []string{name}, []string{registry})
	if cleaned := cleanup(t, false); len(cleaned.Skipped) != 1 || docker.removed(t, name) {
		t.Errorf("removed although its use is unknown: %+v", cleaned)
	}
	e, err := makeEntry(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if cleaned := cleanup(t, false); len(cleaned.Skipped) != 1 || docker.removed(t, name) {
		t.Errorf("removed although another user's run holds it: %+v", cleaned)
	}
	e.release()
	if diff := cmp.Diff(Cleaned{Removed: []string{name}}, cleanup(t, false)); diff != "" || !docker.removed(t, name) {
		t.Errorf("cleaned (-want +got):\n%s", diff)
	}
}

// TestLockEndsWithItsProcess holds an entry in a process that the test then kills.
func TestLockEndsWithItsProcess(t *testing.T) {
	const variable = "REHEARSAL_TEST_HOLD"
	if path := os.Getenv(variable); path != "" {
		if _, err := makeEntry(path); err != nil {
			t.Fatal(err)
		}
		fmt.Println("locked")
		select {}
	}
	path := filepath.Join(t.TempDir(), "entry")
	holder := exec.Command(os.Args[0], "-test.run=^TestLockEndsWithItsProcess$")
	holder.Env = append(os.Environ(), variable+"="+path)
	stdout, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(stdout, new(string)); err != nil {
		t.Fatal(err)
	}
	if _, err := makeEntry(path); !errors.Is(err, errLocked) {
		t.Errorf("makeEntry = %v while it is held", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	e, err := makeEntry(path)
	if err != nil {
		t.Fatal(err)
	}
	e.release()
}

func TestEntry(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index", "rehearsal-a.json")
	e, err := makeEntry(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/a", "/b\nc", "/a"} {
		if err := e.add(dir); err != nil {
			t.Fatal(err)
		}
	}
	e.release()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"stateDir":"/cut`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	states, err := readStates(path)
	if diff := cmp.Diff([]string{"/a", "/b\nc"}, states); diff != "" || err != nil {
		t.Errorf("states (%v, -want +got):\n%s", err, diff)
	}
	// The entry was released: another process may hold the file by now.
	if err := e.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("an entry was removed without its lock: %v", err)
	}
}

// TestCreateIsInTheIndexFirst: from the first step on, the index has a killed Create.
func TestCreateIsInTheIndexFirst(t *testing.T) {
	docker := newEngine(t, nil, nil)
	stateDir := filepath.Join(t.TempDir(), "state")
	if _, err := Create(t.Context(), Config{Name: "new", NodeImage: "absent", StateDir: stateDir}); err == nil {
		t.Fatal("Create succeeded without an image")
	}
	index, err := os.ReadFile(docker.index)
	if err != nil || !strings.Contains(string(index), stateDir) {
		t.Errorf("the index was %q, want %s in it (%v)", index, stateDir, err)
	}
	path, err := entryPath("rehearsal-new")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the entry of the failed cluster remains: %v", err)
	}
}

// TestCreateLeavesATakenName: Create leaves alone the cluster and the entry of that name.
func TestCreateLeavesATakenName(t *testing.T) {
	const name = "rehearsal-taken"
	docker := newEngine(t, []string{name}, nil)
	for range 2 { // the user's kind cluster, twice
		if _, err := Create(t.Context(), Config{Name: name}); !errors.Is(err, ErrExists) {
			t.Errorf("Create = %v, want ErrExists", err)
		}
		if _, err := Attach(t.Context(), Config{Name: name}); !errors.Is(err, ErrNotFound) {
			t.Errorf("Attach = %v, want ErrNotFound", err)
		}
	}
	cleanup(t, true)
	if docker.removed(t, name) {
		t.Error("the user's cluster was removed")
	}
	e, _ := registered(t, name)
	if _, err := Create(t.Context(), Config{Name: name}); !errors.Is(err, ErrExists) {
		t.Errorf("Create = %v while another process creates it, want ErrExists", err)
	}
	if !e.current() {
		t.Error("the other process's entry is gone")
	}
	e.release() // killed, or ended with --keep
	if _, err := Create(t.Context(), Config{Name: name}); !errors.Is(err, ErrExists) {
		t.Errorf("Create = %v for an abandoned cluster, want ErrExists", err)
	}
	if cleanup(t, false); !docker.removed(t, name) {
		t.Error("the cluster's entry is gone from the index")
	}
}

func TestLogsArePrivate(t *testing.T) {
	newEngine(t, nil, nil)
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := Config{Name: "a"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{config: config}
	for _, path := range []string{dir, filepath.Join(dir, "new")} {
		if err := c.Logs(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %o, want 700 (%v)", path, info.Mode().Perm(), err)
		}
	}
}
