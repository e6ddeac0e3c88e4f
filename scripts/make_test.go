//go:build linux

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// makeIn runs make with the project's Makefile and a go command that does nothing, in
// a directory without git.
func makeIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	makefile, err := filepath.Abs("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("make", append([]string{"-f", makefile, "GO=true", "OUT=out"}, args...)...)
	command.Dir = dir
	// This test may run below make.
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	printed, err := command.CombinedOutput()
	return string(printed), err
}

func TestLint(t *testing.T) {
	for _, test := range []struct{ name, file, source, want string }{
		{"formatted", "a/a.go", "package a\n", ""},
		{"not formatted", "a/a.go", "package   a\n", "run gofmt -w on"},
		{"gofmt fails", "a/a.go", "package\n", "expected 'IDENT'"},
		{"build output is ignored", "out/a.go", "package\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, test.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(test.source), 0o644); err != nil {
				t.Fatal(err)
			}
			printed, err := makeIn(t, dir, "lint")
			if (err == nil) != (test.want == "") || !strings.Contains(printed, test.want) {
				t.Errorf("%v, want %q:\n%s", err, test.want, printed)
			}
		})
	}
}

// TestCachedResultsDoNotCount: tests that depend on the machine run every time.
func TestCachedResultsDoNotCount(t *testing.T) {
	printed, err := makeIn(t, t.TempDir(), "--dry-run", "test")
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	for _, suite := range []string{"machine", "cluster"} {
		_, after, found := strings.Cut(printed, "junit-"+suite+".xml")
		line, _, _ := strings.Cut(after, "\n")
		if !found || !strings.Contains(line, "-count=1") {
			t.Errorf("%s: the command uses cached results: %s", suite, line)
		}
	}
	if !strings.Contains(printed, "-C receipts/interop test") {
		t.Error("no target tests receipts/interop")
	}
}

func TestCleanLeavesReceipts(t *testing.T) {
	dir := t.TempDir()
	writeScript(t, filepath.Join(dir, "out", "rehearsal"), "")
	writeScript(t, filepath.Join(dir, "out", "receipts", "run", "a.intoto.json"), "")
	writeScript(t, filepath.Join(dir, "out", "logs", "kubelet.log"), "")
	if printed, err := makeIn(t, dir, "clean"); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	left, err := filepath.Glob(filepath.Join(dir, "out", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "out", "receipts")}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "receipts", "run", "a.intoto.json")); err != nil {
		t.Error(err)
	}
}
