package nodeimage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rootfs returns the directory of Debian's root file system. debootstrap creates it
// unless the cache has it.
func (b *build) rootfs(ctx context.Context) (string, error) {
	root := filepath.Join(b.cache, "rootfs-"+b.recipe.rootDigest())
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	debootstrap, err := exec.LookPath("debootstrap")
	if err != nil {
		return "", fmt.Errorf("debootstrap is missing: run scripts/setup (%w)", err)
	}
	unfinished, err := os.MkdirTemp(b.cache, "unfinished-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	// Renamed when complete, so that an interrupted run leaves no partial directory.
	tree := filepath.Join(unfinished, "root")
	command := exec.CommandContext(ctx, debootstrap, "--variant=minbase", "--arch="+b.recipe.arch,
		"--include="+strings.Join(packages, ","), suite, tree)
	if printed, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, lastLines(string(printed), 5))
	}
	for _, waste := range []string{"var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"} {
		if err := os.RemoveAll(filepath.Join(tree, waste)); err != nil {
			return "", err
		}
	}
	return root, os.Rename(tree, root)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
