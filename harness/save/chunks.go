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

// Compression formats of a chunk.
const (
	compressGzip = 1
	compressZlib = 2
	compressNone = 3
	compressLZ4  = 4
	compressOwn  = 127  // a server's custom one
	external     = 0x80 // flag: the chunk is in a separate file
)

const (
	maxRegion  = 256 << 20
	sector     = 4 << 10
	maxRegions = 4096 // files of one world
)

// readChunks adds the chunks of a directory of region files. A missing or damaged file adds none.
func (w *World) readChunks(ctx context.Context, root *os.Root, dir string) error {
	names, err := list(root, dir, "r.*.*.mca", maxRegions)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := w.tolerate(w.readRegionFile(ctx, root, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (w *World) readRegionFile(ctx context.Context, root *os.Root, name string) error {
	file, err := openFile(root, name)
	if err != nil {
		return err
	}
	return errors.Join(w.readRegion(ctx, file), file.Close())
}

// maxDamaged limits the damaged region files and players of a world that is still read, and maxBad the damaged chunks
// of one region file: detecting damage takes time, and a candidate may have caused it.
const (
	maxDamaged = 256
	maxBad     = 64
)

var errRuined = fmt.Errorf("%w: more than %d region files and players are damaged", tag.ErrMalformed, maxDamaged)

// tolerate counts a damaged file, and returns only errors that the world cannot be read with.
func (w *World) tolerate(err error) error {
	if err == nil || unreadable(err) || errors.Is(err, errRuined) {
		return err
	}
	if w.Damaged++; w.Damaged > maxDamaged {
		return errRuined
	}
	return nil
}

// list returns the paths of the files in a directory whose names match the pattern.
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

// readOnly is a region file without write access: go-mc wants a writer, but reading does not use it.
type readOnly struct{ io.ReadSeeker }

func (readOnly) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func (w *World) readRegion(ctx context.Context, file io.ReadSeeker) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size == 0 || size > maxRegion { // Minecraft creates empty ones and fills them later
		if size == 0 {
			return nil
		}
		return fmt.Errorf("%w: region of %d bytes", tag.ErrMalformed, size)
	}
	shared, err := sharedSectors(file)
	if err != nil {
		return err
	}
	r, err := region.Load(readOnly{file})
	if err != nil {
		return fmt.Errorf("%w: %w", tag.ErrMalformed, err)
	}
	var damage error
	bad := 0
	for x := range 32 {
		for z := range 32 {
			if !r.ExistSector(x, z) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if shared[32*z+x] {
				damage = fmt.Errorf("%w: chunk %d,%d: shares a sector with another chunk", tag.ErrMalformed, x, z)
				continue
			}
			stored, err := r.ReadSector(x, z)
			if unreadable(err) {
				return err
			}
			if err == nil {
				if err = w.Chunks.read(stored); err != nil {
					bad++
				}
			}
			if err != nil {
				damage = fmt.Errorf("%w: chunk %d,%d: %w", tag.ErrMalformed, x, z, err)
			}
			if bad > maxBad {
				return damage
			}
		}
	}
	return damage // of the file; its other chunks count
}

// sharedSectors finds the chunks that share sectors with others. No region that a game wrote has any. A thousand chunks
// in the same few kilobytes would take a minute to inflate. sharedSectors rewinds the file.
func sharedSectors(file io.ReadSeeker) (shared [1024]bool, err error) {
	var head [sector]byte // for each chunk, its first sector in three bytes and their number in one
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return shared, err
	}
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return shared, fmt.Errorf("%w: region without a header: %w", tag.ErrMalformed, err)
	}
	var taken [maxRegion / sector]bool
	for chunk := range shared {
		entry := head[4*chunk:]
		first, count := int(entry[0])<<16|int(entry[1])<<8|int(entry[2]), int(entry[3])
		for i := first; i < min(first+count, len(taken)); i++ {
			shared[chunk] = shared[chunk] || taken[i]
			taken[i] = true
		}
	}
	_, err = file.Seek(0, io.SeekStart)
	return shared, err
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
	if _, old := root["Level"].(tag.Compound); !ok && old { // a chunk last saved before 1.9
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

// errCompression marks a chunk that a game may be able to read and this package cannot: LZ4, a server's custom
// compression, or a separate file.
var errCompression = errors.New("unknown compression")

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
	switch stored[0] &^ external {
	case compressGzip, compressZlib, compressNone, compressLZ4, compressOwn:
		return nil, errCompression
	}
	return nil, fmt.Errorf("%w: compression %d", tag.ErrMalformed, stored[0])
}
