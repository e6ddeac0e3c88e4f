package nodeimage

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/docker"
	"github.com/GameplanePanel/rehearsal/harness/ociimage"
)

// TestResolve asks the real engine twice: the second time it finds the image.
func TestResolve(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: may build a node image")
	}
	options := Options{Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	first, err := Resolve(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	second, err := Resolve(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second call resolved another image (-first +second):\n%s", diff)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("the second call took %s: it built the image again", took)
	}
	left, err := docker.Lines(t.Context(), "ps", "--all", "--quiet", "--filter", "label="+ownerBuild)
	if err != nil || len(left) > 0 {
		t.Errorf("remaining containers of the build: %v, %v", left, err)
	}
}

// stubDocker replaces docker with a script.
func stubDocker(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestPull(t *testing.T) {
	answer := pullAnswer
	t.Cleanup(func() { pullAnswer = answer })
	pullAnswer = 200 * time.Millisecond
	for _, test := range []struct{ name, script, want string }{
		{"silent registry", "exec sleep 60", errNoAnswer.Error()},
		{"slow layers", "echo Pulling from a; sleep 0.6", ""},
		{"refusal", "echo denied >&2; exit 1", "denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stubDocker(t, test.script)
			err := pull(t.Context(), slog.New(slog.DiscardHandler), "a")
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("pull = %v, want %q", err, test.want)
			}
		})
	}
}

func TestResolveWithoutEngine(t *testing.T) {
	stubDocker(t, "exit 1")
	if _, err := Resolve(t.Context(), Options{}); !errors.Is(err, docker.ErrNoEngine) {
		t.Errorf("Resolve = %v, want ErrNoEngine", err)
	}
}

func TestRecipeDigestCoversItsInputs(t *testing.T) {
	t.Parallel()
	components := t.TempDir()
	write := func(content string) {
		if err := os.WriteFile(filepath.Join(components, "go.sum"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	base := recipe{components: components, kind: "/mod/kind@v1", arch: "amd64", goVersion: "go1"}
	digest := func(r recipe) string {
		t.Helper()
		d, err := r.digest(true)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := digest(base)
	if again := digest(base); again != first {
		t.Fatalf("the same recipe gives %s and %s", first, again)
	}
	moved := base
	moved.kind = "/elsewhere/kind@v1"
	if digest(moved) != first {
		t.Error("the path of the module cache changes the digest")
	}
	for name, change := range map[string]func(*recipe){
		"kind":         func(r *recipe) { r.kind = "/mod/kind@v2" },
		"architecture": func(r *recipe) { r.arch = "arm64" },
		"toolchain":    func(r *recipe) { r.goVersion = "go2" },
		"components":   func(*recipe) { write("two") },
	} {
		changed := base
		change(&changed)
		if digest(changed) == first {
			t.Errorf("another %s gives the same digest", name)
		}
		write("one")
	}
}

func TestSandboxImageOfKind(t *testing.T) {
	t.Parallel()
	kind, err := ociimage.ModuleDir(t.Context(), kindModule)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(kind, "images", "base", "files", "etc", "containerd", "config.toml")
	image, err := sandboxImage(config)
	if err != nil || !strings.Contains(image, "/pause:") {
		t.Errorf("sandboxImage = %q, %v", image, err)
	}
	empty := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(empty, []byte("version = 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if image, err := sandboxImage(empty); err == nil {
		t.Errorf("sandboxImage of a configuration without one = %q", image)
	}
}

func TestStorageManifestNamesTheImages(t *testing.T) {
	t.Parallel()
	manifest := string(script("default-storage.yaml"))
	for _, image := range []string{storageProvisioner, storageHelper} {
		if !strings.Contains(manifest, image) {
			t.Errorf("default-storage.yaml does not name %s", image)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var told bytes.Buffer
	log := slog.New(slog.NewTextHandler(&told, nil))
	unlock, err := lock(t.Context(), path, log)
	if err != nil || told.Len() > 0 {
		t.Fatal(err, told.String())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, path, log); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second lock = %v, want DeadlineExceeded", err)
	}
	if !strings.Contains(told.String(), "another process builds the node image") {
		t.Errorf("the wait was logged as %q", told.String())
	}
	unlock()
	after, err := lock(t.Context(), path, log)
	if err != nil {
		t.Fatal(err)
	}
	after()
}

// TestImportRefused: docker may stop reading the root file system.
func TestImportRefused(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "large"), make([]byte, 1<<20), 0o644); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	stubDocker(t, "echo no space left >&2; exit 1")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := importRoot(ctx, root); err == nil || !strings.Contains(err.Error(), "no space left") || ctx.Err() != nil {
		t.Errorf("importRoot = %v", err)
	}
}

// TestImageOfTheEnvironment: the variable applies if the options name no image.
func TestImageOfTheEnvironment(t *testing.T) {
	stubDocker(t, `case "$*" in
info*) echo x86_64 2 ;;
*) echo "nothing of $*" >&2; exit 1 ;;
esac`)
	t.Setenv(EnvWant, "of-the-environment")
	for want, named := range map[string]string{"": "of-the-environment", "of-the-caller": "of-the-caller"} {
		if _, err := Resolve(t.Context(), Options{Want: want}); err == nil || !strings.Contains(err.Error(), "node image "+named) {
			t.Errorf("Resolve(%q) = %v, want an error about %s", want, err, named)
		}
	}
}
