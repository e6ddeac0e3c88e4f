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
	compressLZ4  = 4
	compressOwn  = 127  // a server's own
	external     = 0x80 // added where the chunk is in a file of its own
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
		if err := w.bear(w.readRegionFile(ctx, root, name)); err != nil {
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

// maxDamaged is how many region files and players may be damaged in a world that is read all the same, and maxBad how many
// chunks of one region file: to find out takes time, and a candidate may have made them.
const (
	maxDamaged = 256
	maxBad     = 64
)

var errRuined = fmt.Errorf("%w: more than %d region files and players are damaged", tag.ErrMalformed, maxDamaged)

// bear counts a file that is damaged, whatever is wrong with it, and gives errors of reading back.
func (w *World) bear(err error) error {
	if err == nil || unreadable(err) || errors.Is(err, errRuined) {
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
				damage = fmt.Errorf("%w: chunk %d,%d: in a sector of another one", tag.ErrMalformed, x, z)
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
	return damage // of the file, whose other chunks count
}

// sharedSectors finds the chunks that do not lie in sectors of their own, as they do in any region that a game wrote: a
// thousand in the same few kilobytes would take a minute to inflate. It leaves the file at its beginning.
func sharedSectors(file io.ReadSeeker) (shared [1024]bool, err error) {
	var head [sector]byte // for each chunk, its first sector in three bytes and their number in one
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return shared, err
	}
	if _, err := io.ReadFull(file, head[:]); err != nil {
		return shared, fmt.Errorf("%w: region without a head: %w", tag.ErrMalformed, err)
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
// compression, or in a file of its own.
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
	switch stored[0] &^ external {
	case compressGzip, compressZlib, compressNone, compressLZ4, compressOwn:
		return nil, errCompression
	}
	return nil, fmt.Errorf("%w: compression %d", tag.ErrMalformed, stored[0])
}
