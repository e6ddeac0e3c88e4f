package save

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/Tnze/go-mc/save/region"

	"github.com/GameplanePanel/rehearsal/harness/save/tag"
)

// Compressions of a chunk.
const (
	compressGzip = 1
	compressZlib = 2
	compressNone = 3
)

const (
	maxRegion  = 256 << 20
	sector     = 4 << 10
	maxRegions = 4096 // files of one world
)

// readChunks adds the chunks of a directory of region files. One that is not there adds none, nor does one that is damaged.
func (w *World) readChunks(ctx context.Context, root *os.Root, dir string) error {
	names, err := list(root, dir, "r.*.*.mca", maxRegions)
	if err != nil {
		return err
	}
	for _, name := range names {
		file, err := openFile(root, name)
		if err != nil {
			return err
		}
		err = errors.Join(w.readRegion(ctx, file), file.Close())
		if err := w.bear(err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// maxDamaged is how much may be damaged in a world that is read all the same. Each costs time, and a candidate may have
// made them.
const maxDamaged = 256

var errRuined = fmt.Errorf("%w: more than %d chunks, region files and players are damaged", tag.ErrMalformed, maxDamaged)

// bear counts what is damaged, and gives every other error back.
func (w *World) bear(err error) error {
	if err == nil || errors.Is(err, errRuined) || !errors.Is(err, tag.ErrMalformed) {
		return err
	}
	if w.Damaged++; w.Damaged > maxDamaged {
		return errRuined
	}
	return nil
}

// list gives the paths of the files of a directory whose names match the pattern.
func list(root *os.Root, dir, pattern string, limit int) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if matched, _ := path.Match(pattern, entry.Name()); matched && !entry.IsDir() {
			names = append(names, path.Join(filepath.ToSlash(dir), entry.Name()))
		}
	}
	if len(names) > limit {
		return nil, fmt.Errorf("%s: more than %d files", dir, limit)
	}
	return names, nil
}

// readOnly is a region file that cannot be written to: go-mc wants a writer and does not use it for reading.
type readOnly struct{ io.ReadSeeker }

func (readOnly) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (w *World) readRegion(ctx context.Context, file io.ReadSeeker) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size == 0 || size > maxRegion { // Minecraft makes empty ones and fills them later
		if size == 0 {
			return nil
		}
		return fmt.Errorf("%w: region of %d bytes", tag.ErrMalformed, size)
	}
	if err := sectorsOnce(file); err != nil {
		return err
	}
	r, err := region.Load(readOnly{file})
	if err != nil {
		return fmt.Errorf("%w: %w", tag.ErrMalformed, err)
	}
	for x := range 32 {
		for z := range 32 {
			if !r.ExistSector(x, z) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			stored, err := r.ReadSector(x, z)
			if err == nil {
				err = w.Chunks.read(stored)
			}
			if unreadable(err) {
				return err
			}
			if err != nil {
				err = fmt.Errorf("%w: chunk %d,%d: %w", tag.ErrMalformed, x, z, err)
			}
			if err := w.bear(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// sectorsOnce wants the chunks of a region to lie in sectors of their own, as they do in any that a game wrote: a thousand
// chunks in the same few kilobytes would take a minute to inflate. It leaves the file at its beginning.
func sectorsOnce(file io.ReadSeeker) error {
	var head [sector]byte // for each chunk, its first sector in three bytes and their number in one
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return fmt.Errorf("%w: region without a head: %w", tag.ErrMalformed, err)
	}
	var taken [maxRegion / sector]bool
	for at := 0; at < len(head); at += 4 {
		first, count := int(head[at])<<16|int(head[at+1])<<8|int(head[at+2]), int(head[at+3])
		for i := first; i < min(first+count, len(taken)); i++ {
			if taken[i] {
				return fmt.Errorf("%w: two chunks in one sector", tag.ErrMalformed)
			}
			taken[i] = true
		}
	}
	_, err := file.Seek(0, io.SeekStart)
	return err
}

func (c *Chunks) read(stored []byte) error {
	reader, err := decompress(stored)
	if errors.Is(err, errCompression) {
		c.Count++
		c.Unread++
		return nil
	}
	if err != nil {
		return err
	}
	root, err := decodeLimited(reader)
	if err != nil {
		return err
	}
	number, ok := root["DataVersion"].(int32)
	if _, old := root["Level"].(tag.Compound); !ok && old { // land that nobody has set foot on since before 1.9
		c.Count++
		c.Unread++
		return nil
	}
	if !ok {
		return errors.New("no DataVersion")
	}
	version := int(number)
	if c.Count == c.Unread || version < c.Oldest {
		c.Oldest = version
	}
	c.Newest = max(c.Newest, version)
	c.Count++
	return nil
}

// errCompression is returned for a chunk that a game may well read and we cannot: of LZ4 or of a server's own
// compression, or in a file of its own, which the highest bit says.
var errCompression = errors.New("compression is not known")

func decompress(stored []byte) (io.Reader, error) {
	data := bytes.NewReader(stored[1:]) // go-mc gives at least one byte
	switch stored[0] {
	case compressGzip:
		return gzip.NewReader(data)
	case compressZlib:
		return zlib.NewReader(data)
	case compressNone:
		return data, nil
	}
	return nil, errCompression
}
