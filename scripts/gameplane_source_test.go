//go:build linux

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gameplaneSource runs the script, and returns what it prints on each of its outputs.
func gameplaneSource(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut strings.Builder
	command := exec.Command("./gameplane-source", args...)
	command.Stdout, command.Stderr = &out, &errOut
	err = command.Run()
	return strings.TrimSpace(out.String()), errOut.String(), err
}

func mustRun(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, printed)
	}
	return strings.TrimSpace(string(printed))
}

// sourceTree makes a directory gameplane-1 with an operator, and returns its parent.
func sourceTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeScript(t, filepath.Join(dir, "gameplane-1", "operator", "go.mod"), "")
	return dir
}

func assertTree(t *testing.T, tree string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(tree, "operator", "go.mod")); err != nil {
		t.Errorf("the printed directory is no source tree: %v", err)
	}
}

func TestGameplaneFromDirectory(t *testing.T) {
	tree := filepath.Join(sourceTree(t), "gameplane-1")
	printed, stderr, err := gameplaneSource(t, t.TempDir(), tree)
	if err != nil || printed != tree {
		t.Errorf("printed %q, %v: %s", printed, err, stderr)
	}
}

func TestGameplaneFromArchive(t *testing.T) {
	parent := sourceTree(t)
	for name, from := range map[string][]string{
		"whole.tar.gz": {"-C", parent, "gameplane-1"},
		"inner.tgz":    {"-C", filepath.Join(parent, "gameplane-1"), "operator"},
	} {
		t.Run(name, func(t *testing.T) {
			out, archive := t.TempDir(), filepath.Join(t.TempDir(), name)
			mustRun(t, ".", "tar", append([]string{"-czf", archive}, from...)...)
			first, stderr, err := gameplaneSource(t, out, archive)
			if err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			assertTree(t, first)
			if second, _, err := gameplaneSource(t, out, archive); err != nil || second != first {
				t.Errorf("again: %q, %v; the first time %q", second, err, first)
			}
		})
	}
}

func TestGameplaneFromGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("the git command is missing")
	}
	repository := filepath.Join(sourceTree(t), "gameplane-1")
	mustRun(t, repository, "git", "init", "--quiet")
	mustRun(t, repository, "git", "add", ".")
	mustRun(t, repository, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=a")
	commit := mustRun(t, repository, "git", "rev-parse", "HEAD")

	printed, stderr, err := gameplaneSource(t, t.TempDir(), "file://"+repository, commit)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	assertTree(t, printed)
}

func TestGameplaneSourceIsRefused(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.tar.gz")
	if err := os.WriteFile(broken, []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	none := strings.Repeat("0", 40)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"none":              {nil, "set GAMEPLANE_SRC"},
		"missing directory": {[]string{"/nonexistent"}, "/nonexistent: no such directory"},
		"missing archive":   {[]string{"/nonexistent.tar.gz"}, "/nonexistent.tar.gz: no such file"},
		"broken archive":    {[]string{broken}, "cannot be unpacked"},
		"no commit":         {[]string{"https://example.com/a.git"}, "set GAMEPLANE_COMMIT"},
		"a branch":          {[]string{"https://example.com/a.git", "main"}, "set GAMEPLANE_COMMIT"},
		"no repository":     {[]string{"file:///nonexistent", none}, "cannot be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			printed, stderr, err := gameplaneSource(t, append([]string{out}, test.args...)...)
			if err == nil || printed != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("printed %q, %v, want %q:\n%s", printed, err, test.want, stderr)
			}
			if left, _ := filepath.Glob(filepath.Join(out, "gameplane", "*")); left != nil {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestGameplaneIsCheckedFirst: the set-up may take a quarter of an hour.
func TestGameplaneIsCheckedFirst(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("gameplane-source")
	if err != nil {
		t.Fatal(err)
	}
	writeScript(t, filepath.Join(dir, "scripts", "setup"), "echo set up")
	if err := os.WriteFile(filepath.Join(dir, "scripts", "gameplane-source"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	printed, err := makeIn(t, dir, "gameplane", "GAMEPLANE_SRC=")
	if err == nil || !strings.Contains(printed, "set GAMEPLANE_SRC") || strings.Contains(printed, "set up") {
		t.Errorf("%v:\n%s", err, printed)
	}
}
