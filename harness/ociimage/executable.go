package ociimage

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// libraryDirs are where the dynamic loader of common distributions looks.
var libraryDirs = []string{"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
	"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}

// Executable is a program that is built already, such as the running one.
type Executable struct {
	Path       string   // on this machine
	Name       string   // in the image: /usr/local/bin/NAME
	Entrypoint []string // the program itself where not given
}

// FromExecutable returns an image that holds a program for Linux on this machine's architecture. Where the program was
// linked dynamically, as "go install" may do, the image also holds the loader and the libraries that it names.
func FromExecutable(e Executable) (v1.Image, error) {
	binary, err := os.ReadFile(e.Path)
	if err != nil {
		return nil, err
	}
	program, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("%s is no program for Linux: %w", e.Path, err)
	}
	name := "/usr/local/bin/" + e.Name
	files := []File{{Path: name, Mode: 0o755, Data: binary}}
	libraries, err := librariesOf(program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path, err)
	}
	if len(e.Entrypoint) == 0 {
		e.Entrypoint = []string{name}
	}
	return Assemble(Contents{
		Files:      append(files, libraries...),
		OS:         "linux",
		Arch:       runtime.GOARCH,
		Entrypoint: e.Entrypoint,
		User:       DefaultUser,
	})
}

// librariesOf finds the loader and the libraries of a program, and theirs.
func librariesOf(program *elf.File) ([]File, error) {
	loader := interpreterOf(program)
	if loader == "" {
		return nil, nil
	}
	files := []File{{Path: loader, Mode: 0o755, Source: loader}}
	known := map[string]bool{filepath.Base(loader): true}
	for wanted := []*elf.File{program}; len(wanted) > 0; {
		names, err := wanted[0].ImportedLibraries()
		if err != nil {
			return nil, err
		}
		wanted = wanted[1:]
		for _, name := range names {
			if known[name] {
				continue
			}
			known[name] = true
			path, library, err := findLibrary(name)
			if err != nil {
				return nil, err
			}
			files = append(files, File{Path: "/lib/" + name, Mode: 0o755, Source: path})
			wanted = append(wanted, library)
		}
	}
	return files, nil
}

// interpreterOf is the path of the loader that a program asks for, "" for a static one.
func interpreterOf(program *elf.File) string {
	for _, header := range program.Progs {
		if header.Type != elf.PT_INTERP {
			continue
		}
		path := make([]byte, header.Filesz)
		if _, err := header.ReadAt(path, 0); err != nil {
			return ""
		}
		return string(bytes.TrimRight(path, "\x00"))
	}
	return ""
}

func findLibrary(name string) (string, *elf.File, error) {
	for _, dir := range libraryDirs {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		library, err := elf.NewFile(bytes.NewReader(text))
		if err == nil && library.Class == elf.ELFCLASS64 {
			return path, library, nil
		}
	}
	return "", nil, fmt.Errorf("library %s is not found: install the command with CGO_ENABLED=0", name)
}
