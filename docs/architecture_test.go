// Package docs_test compares the documents of this project with its sources.
package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Limits of a package, so that a reader can hold it in mind. Tests and generated files do not count.
const (
	maxFiles = 16
	maxLines = 1800
)

const root = ".."

func TestArchitectureListsEveryPackage(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(packages(t), listed(t)); diff != "" {
		t.Errorf("packages of the tree (-) and of docs/architecture.md (+):\n%s", diff)
	}
}

func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	for _, name := range packages(t) {
		files, lines := size(t, filepath.Join(root, name))
		if files > maxFiles || lines > maxLines {
			t.Errorf("%s has %d files and %d lines, want at most %d and %d: split it", name, files, lines, maxFiles, maxLines)
		}
	}
}

// TestLinksResolve follows the relative links of every document.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, path := range filesOf(t, func(name string) bool { return filepath.Ext(name) == ".md" }) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(match[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), target)); err != nil {
				t.Errorf("%s: link %s: %v", path, match[1], err)
			}
		}
	}
}

// listed returns the packages that architecture.md lists, sorted: the first cell of each row of its tables that begins
// with a path in backquotes.
func listed(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	slices.Sort(names)
	return names
}

// packages returns the directories of all packages of every module below the root, sorted. A module that has no package
// is listed by its own directory.
func packages(t *testing.T) []string {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range filesOf(t, func(name string) bool { return name == "go.mod" }) {
		module := filepath.Dir(path)
		command := exec.CommandContext(t.Context(), "go", "list", "-find", "-f", "{{.Dir}}", "./...")
		command.Dir = module
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", module, err)
		}
		dirs := strings.Fields(string(out))
		if len(dirs) == 0 {
			dirs = []string{filepath.Join(top, strings.TrimPrefix(module, root))}
		}
		for _, dir := range dirs {
			name, err := filepath.Rel(top, dir)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return names
}

// size counts the Go files of a directory that are neither tests nor generated, and their lines.
func size(t *testing.T, dir string) (files, lines int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files++
		lines += bytes.Count(text, []byte("\n"))
	}
	return files, lines
}

// filesOf returns the files below the root whose names match. It leaves out hidden directories and what make builds.
func filesOf(t *testing.T, match func(name string) bool) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || path == filepath.Join(root, "out")) {
				return filepath.SkipDir
			}
			return nil
		}
		if match(name) {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
