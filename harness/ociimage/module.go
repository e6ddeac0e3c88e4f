package ociimage

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ModuleDir returns the source directory of a module: the main module of the working
// directory, or a module that it requires. It downloads a missing module into the
// module cache.
func ModuleDir(ctx context.Context, module string) (string, error) {
	dir, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return "", fmt.Errorf("sources of %s (run this inside a checkout of rehearsal): %w", module, err)
	}
	if dir != "" {
		return dir, nil
	}
	if _, err := goOutput(ctx, "mod", "download", module); err != nil {
		return "", fmt.Errorf("download %s: %w", module, err)
	}
	return goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", module)
}

func goOutput(ctx context.Context, args ...string) (string, error) {
	printed, err := exec.CommandContext(ctx, "go", args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s: %s", strings.Join(args, " "), strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(printed)), err
}

// GoVersion returns the version of the toolchain that builds programs.
func GoVersion(ctx context.Context) (string, error) { return goOutput(ctx, "env", "GOVERSION") }
