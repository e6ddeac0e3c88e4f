package ociimage

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Program is a Go program to build into an image.
type Program struct {
	// Dir is the directory of the module that Package belongs to.
	Dir string
	// Package is a main package: an import path, or a path relative to Dir that
	// starts with "./".
	Package string
	// Ldflags are appended to "-s -w". They change the image's digest.
	Ldflags string
	// OS and Arch are the platform; OS is linux by default.
	OS, Arch string
	// Files are added to the image, by absolute path, with mode 0644.
	Files map[string][]byte
	// Executables are further main packages, by the absolute path of their program in
	// the image, with mode 0755. Each is given as Package is.
	Executables map[string]string
	// Entrypoint defaults to the program itself, /usr/local/bin/NAME.
	Entrypoint []string
	// User defaults to DefaultUser.
	User   string
	Labels map[string]string
}

// Build compiles the program, statically and without this machine's paths or times,
// and returns its image. It needs the go command. An error holds the compiler's
// output.
func Build(ctx context.Context, p Program) (v1.Image, error) {
	p = p.withDefaults()
	programs := map[string]string{p.path(): p.Package}
	maps.Copy(programs, p.Executables)
	var files []File
	for name, main := range programs {
		binary, err := compile(ctx, p, main)
		if err != nil {
			return nil, fmt.Errorf("build %s for %s/%s: %w", main, p.OS, p.Arch, err)
		}
		files = append(files, File{Path: name, Mode: 0o755, Data: binary})
	}
	for name, data := range p.Files {
		files = append(files, File{Path: name, Data: data})
	}
	return Assemble(Contents{
		Files:      files,
		OS:         p.OS,
		Arch:       p.Arch,
		Entrypoint: p.Entrypoint,
		User:       p.User,
		Labels:     p.Labels,
	})
}

func (p Program) withDefaults() Program {
	if p.OS == "" {
		p.OS = "linux"
	}
	if len(p.Entrypoint) == 0 {
		p.Entrypoint = []string{p.path()}
	}
	if p.User == "" {
		p.User = DefaultUser
	}
	return p
}

func (p Program) path() string { return "/usr/local/bin/" + path.Base(p.Package) }

// compile builds a main package as p says.
func compile(ctx context.Context, p Program, main string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rehearsal-program-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	output := filepath.Join(dir, "program")
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", strings.TrimSpace("-s -w "+p.Ldflags), "-o", output, main)
	command.Dir = p.Dir
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOOS="+p.OS, "GOARCH="+p.Arch)
	// A separate process group: the terminal's Ctrl-C arrives only through ctx, and only once.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // the compiler removes its temporary files
	command.WaitDelay = 10 * time.Second
	if printed, err := command.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(printed)))
	}
	return os.ReadFile(output)
}
