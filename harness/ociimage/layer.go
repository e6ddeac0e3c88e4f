package ociimage

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// File is a regular file of an image or, if Link is set, a symbolic link.
type File struct {
	// Path is absolute in the image.
	Path string
	// Mode holds the permission bits; zero means 0644.
	Mode int64
	// Source is the file on this machine to read; if empty, Data is the content.
	Source string
	Data   []byte
	// Link is the target of a symbolic link.
	Link string
}

type entry struct {
	header tar.Header
	source string
	data   []byte
}

// layout sorts files by path and adds their parent directories.
func layout(files []File) ([]entry, error) {
	entries := map[string]entry{}
	for _, file := range files {
		name := strings.TrimPrefix(path.Clean(file.Path), "/")
		if !path.IsAbs(file.Path) || name == "" {
			return nil, fmt.Errorf("file %q: the path in an image must be absolute", file.Path)
		}
		if _, taken := entries[name]; taken {
			return nil, fmt.Errorf("file %q: given twice", file.Path)
		}
		made, err := fileEntry(name, file)
		if err != nil {
			return nil, err
		}
		entries[name] = made
	}
	for _, file := range files {
		for dir := path.Dir(path.Clean(file.Path)); dir != "/"; dir = path.Dir(dir) {
			name := strings.TrimPrefix(dir, "/")
			if _, taken := entries[name]; !taken {
				entries[name] = entry{header: header(name+"/", tar.TypeDir, 0o755)}
			}
		}
	}
	sorted := make([]entry, 0, len(entries))
	for _, e := range entries {
		sorted = append(sorted, e)
	}
	slices.SortFunc(sorted, func(a, b entry) int { return strings.Compare(a.header.Name, b.header.Name) })
	return sorted, nil
}

func fileEntry(name string, file File) (entry, error) {
	if file.Link != "" {
		h := header(name, tar.TypeSymlink, 0o777)
		h.Linkname = file.Link
		return entry{header: h}, nil
	}
	mode := file.Mode
	if mode == 0 {
		mode = 0o644
	}
	h := header(name, tar.TypeReg, mode)
	h.Size = int64(len(file.Data))
	if file.Source != "" {
		info, err := os.Stat(file.Source)
		if err != nil {
			return entry{}, fmt.Errorf("file %q: %w", file.Path, err)
		}
		h.Size = info.Size()
	}
	return entry{header: h, source: file.Source, data: file.Data}, nil
}

func header(name string, kind byte, mode int64) tar.Header {
	return tar.Header{Name: name, Typeflag: kind, Mode: mode, ModTime: time.Unix(0, 0).UTC(), Format: tar.FormatPAX}
}

// opener streams the layer, so that large files are never in memory as a whole.
func opener(entries []entry) tarball.Opener {
	return func() (io.ReadCloser, error) {
		reader, writer := io.Pipe()
		go func() { writer.CloseWithError(writeTar(writer, entries)) }()
		return reader, nil
	}
}

func writeTar(w io.Writer, entries []entry) error {
	archive := tar.NewWriter(w)
	for _, e := range entries {
		if err := writeEntry(archive, e); err != nil {
			return fmt.Errorf("layer entry %q: %w", e.header.Name, err)
		}
	}
	return archive.Close()
}

func writeEntry(archive *tar.Writer, e entry) error {
	h := e.header
	if err := archive.WriteHeader(&h); err != nil {
		return err
	}
	if e.source == "" {
		_, err := io.Copy(archive, bytes.NewReader(e.data))
		return err
	}
	file, err := os.Open(e.source)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(archive, file)
	return err
}

// WriteTar writes files and their parent directories as the tar stream of a layer:
// sorted, owned by root, with zero times.
func WriteTar(w io.Writer, files []File) error {
	entries, err := layout(files)
	if err != nil {
		return err
	}
	return writeTar(w, entries)
}
