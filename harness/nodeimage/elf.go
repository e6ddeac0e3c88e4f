package nodeimage

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// withLibraries returns binaries of the root file system and all shared libraries
// that they need, directly or indirectly, at their paths.
func withLibraries(root string, binaries []string) ([]ociimage.File, error) {
	taken := map[string]bool{}
	var files []ociimage.File
	for queue := binaries; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if taken[name] {
			continue
		}
		taken[name] = true
		source := filepath.Join(root, name)
		files = append(files, ociimage.File{Path: "/" + name, Mode: 0o755, Source: source})
		needed, interpreter, err := elfNeeds(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, library := range needed {
			found, err := findLibrary(root, library)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			queue = append(queue, found)
		}
		if interpreter == "" || taken[interpreter] {
			continue
		}
		taken[interpreter] = true
		loader, err := findLibrary(root, path.Base(interpreter))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, ociimage.File{Path: interpreter, Mode: 0o755, Source: filepath.Join(root, loader)})
	}
	return files, nil
}

// elfNeeds reads the libraries that a file is linked with and, for a program, the
// path of its dynamic loader.
func elfNeeds(file string) (libraries []string, interpreter string, err error) {
	binary, err := elf.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer binary.Close()
	libraries, err = binary.ImportedLibraries()
	if err != nil {
		return nil, "", err
	}
	for _, program := range binary.Progs {
		if program.Type == elf.PT_INTERP {
			name, err := io.ReadAll(program.Open())
			return libraries, strings.TrimRight(string(name), "\x00"), err
		}
	}
	return libraries, "", nil
}

func findLibrary(root, name string) (string, error) {
	for _, pattern := range []string{"usr/lib/*-linux-gnu", "usr/lib"} {
		found, err := filepath.Glob(filepath.Join(root, pattern, name))
		if err != nil {
			return "", err
		}
		for _, candidate := range found {
			// An absolute link would lead out of the root.
			if _, err := os.Stat(candidate); err == nil {
				return filepath.Rel(root, candidate)
			}
		}
	}
	return "", fmt.Errorf("library %s is not in the root file system", name)
}
