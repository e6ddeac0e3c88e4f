package ociimage

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const helloSource = `package main

var greeting = "hello"

func main() { println(greeting) }
`

// module writes a module with the program hello and returns its directory.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"hello/main.go": helloSource,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustBuild(t *testing.T, p Program) v1.Image {
	t.Helper()
	image, err := Build(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func digest(t *testing.T, image v1.Image) string {
	t.Helper()
	found, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return found.String()
}

func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	program := Program{
		Dir: module(t), Package: "./hello", Arch: "amd64",
		Files: map[string][]byte{"/b": []byte("b"), "/etc/a": []byte("a"), "/z/y/x": nil},
	}
	first := digest(t, mustBuild(t, program))
	program.Dir = module(t) // the same sources at another path
	if second := digest(t, mustBuild(t, program)); first != second {
		t.Errorf("digests differ: %s, %s", first, second)
	}
	for name, change := range map[string]func(*Program){
		"ldflags":      func(p *Program) { p.Ldflags = "-X main.greeting=bye" },
		"files":        func(p *Program) { p.Files = nil },
		"architecture": func(p *Program) { p.Arch = "arm64" },
		"labels":       func(p *Program) { p.Labels = map[string]string{"a": "b"} },
		"entrypoint":   func(p *Program) { p.Entrypoint = []string{"/b"} },
		"executable":   func(p *Program) { p.Executables = map[string]string{"/bin/sh": "./hello"} },
	} {
		changed := program
		change(&changed)
		if digest(t, mustBuild(t, changed)) == first {
			t.Errorf("another %s gives the same digest", name)
		}
	}
}

func TestBuildContents(t *testing.T) {
	t.Parallel()
	image := mustBuild(t, Program{
		Dir: module(t), Package: "./hello", Arch: "arm64",
		Files:       map[string][]byte{"/etc/a": []byte("a")},
		Executables: map[string]string{"/bin/sh": "./hello"},
		Labels:      map[string]string{"key": "value"},
	})
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	want := v1.Config{
		Env:        []string{searchPath},
		Entrypoint: []string{"/usr/local/bin/hello"},
		User:       DefaultUser,
		Labels:     map[string]string{"key": "value"},
	}
	if diff := cmp.Diff(want, config.Config); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if config.OS != "linux" || config.Architecture != "arm64" {
		t.Errorf("platform is %s/%s, want linux/arm64", config.OS, config.Architecture)
	}
	headers := layerHeaders(t, image)
	var names []string
	for _, h := range headers {
		names = append(names, h.Name)
		if !h.ModTime.Equal(time.Unix(0, 0)) || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s: time %s, owner %d:%d; want zeroes", h.Name, h.ModTime, h.Uid, h.Gid)
		}
	}
	wantNames := []string{"bin/", "bin/sh", "etc/", "etc/a", "usr/", "usr/local/", "usr/local/bin/", "usr/local/bin/hello"}
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Errorf("layer (-want +got):\n%s", diff)
	}
	for _, i := range []int{1, len(headers) - 1} {
		if headers[i].Mode != 0o755 {
			t.Errorf("%s has mode %o, want 755", headers[i].Name, headers[i].Mode)
		}
	}
}

func layerHeaders(t *testing.T, image v1.Image) []*tar.Header {
	t.Helper()
	stream := mutate.Extract(image)
	defer stream.Close()
	var headers []*tar.Header
	for archive := tar.NewReader(stream); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return headers
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			h.Name += "/"
		}
		headers = append(headers, h)
	}
}

func TestBuildNamesTheFault(t *testing.T) {
	t.Parallel()
	dir := module(t)
	if err := os.WriteFile(filepath.Join(dir, "hello", "main.go"), []byte("package main\n\nfunc main() { undefined() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Build(t.Context(), Program{Dir: dir, Package: "./hello", Arch: "amd64"})
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte("undefined: undefined")) {
		t.Errorf("Build = %v, want the compiler's output", err)
	}
}

func TestAssembleRefuses(t *testing.T) {
	t.Parallel()
	for name, contents := range map[string]Contents{
		"no architecture": {Files: []File{{Path: "/a"}}},
		"relative path":   {Files: []File{{Path: "a"}}, Arch: "amd64"},
		"root":            {Files: []File{{Path: "/"}}, Arch: "amd64"},
		"path twice":      {Files: []File{{Path: "/a"}, {Path: "/b/../a"}}, Arch: "amd64"},
		"missing source":  {Files: []File{{Path: "/a", Source: "/nonexistent"}}, Arch: "amd64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Assemble(contents); err == nil {
				t.Error("Assemble succeeded")
			}
		})
	}
}

func TestAssembleFromSources(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(source, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, uncompressed := range map[string]bool{"compressed": false, "uncompressed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFromSources(t, source, uncompressed)
		})
	}
}

func checkFromSources(t *testing.T, source string, uncompressed bool) {
	t.Helper()
	image, err := Assemble(Contents{
		Files:        []File{{Path: "/bin/tool", Mode: 0o755, Source: source}, {Path: "/bin/link", Link: "tool"}},
		Arch:         "amd64",
		Uncompressed: uncompressed,
	})
	if err != nil {
		t.Fatal(err)
	}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	// The validation expects every layer to be gzip.
	if !uncompressed {
		if err := validate.Layer(layers[0]); err != nil {
			t.Error(err)
		}
	}
	var link, content string
	stream := mutate.Extract(image)
	defer stream.Close()
	for archive := tar.NewReader(stream); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch h.Name {
		case "bin/link":
			link = h.Linkname
		case "bin/tool":
			data, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			content = string(data)
		}
	}
	if link != "tool" || content != "content" {
		t.Errorf("link to %q, content %q; want tool, content", link, content)
	}
}

func TestWriteArchive(t *testing.T) {
	t.Parallel()
	image, err := Assemble(Contents{Files: []File{{Path: "/a", Data: []byte("a")}}, Arch: "arm64"})
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := WriteArchive(&archive, map[string]v1.Image{"example.com/app:1": image}); err != nil {
		t.Fatal(err)
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	manifest, err := tarball.LoadManifest(opener)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"example.com/app:1"}, manifest[0].RepoTags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if err := WriteArchive(io.Discard, map[string]v1.Image{"UPPER:1": image}); err == nil {
		t.Error("WriteArchive accepted an invalid tag")
	}
}
