package minecraft

import (
	"fmt"

	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

const (
	floorY         = -64 // of the overworld
	sectionBlocks  = 16 * 16 * 16
	sectionBiomes  = 4 * 4 * 4
	rowSection     = (rowY - floorY) / 16
	blockIndirect  = 8 // most bits a block of an indirect palette takes
	biomeIndirect  = 3
	blockMinBits   = 4 // an indirect palette of blocks uses at least these
	maxContainer   = 32
	maxHeightmaps  = 16
	heightmapBytes = 8
)

// readChunk reads marker and trace from the packet of chunk 0,0. It only counts other chunks.
func (w *view) readChunk(packet wire.Packet, version protocol.Version) error {
	fields := packet.Fields()
	x, z := fields.Int(), fields.Int()
	if err := fields.Err(); err != nil {
		return err
	}
	w.chunks++
	if x != 0 || z != 0 {
		return nil
	}
	skipHeightmaps(fields, version)
	data := wire.NewFields(fields.Bytes(int(fields.VarInt())))
	if err := fields.Err(); err != nil {
		return fmt.Errorf("chunk 0,0: %w", err)
	}
	var section container
	for range rowSection + 1 {
		section = readSection(data, version)
	}
	if err := data.Err(); err != nil {
		return fmt.Errorf("chunk 0,0: sections: %w", err)
	}
	for x := range w.marker {
		w.marker[x] = section.at(x, rowY, markerZ)
		w.trace[x] = section.at(x, rowY, traceZ)
	}
	w.loaded = true
	return nil
}

func skipHeightmaps(fields *wire.Fields, version protocol.Version) {
	if !version.PlainHeightmaps() {
		fields.NBT()
		return
	}
	for range min(fields.Count(2), maxHeightmaps) {
		fields.VarInt()
		fields.Bytes(fields.Count(heightmapBytes) * heightmapBytes)
	}
}

// readSection reads one section of a chunk: its blocks; it skips its biomes.
func readSection(fields *wire.Fields, version protocol.Version) container {
	fields.Short() // blocks that are not air
	if version.FluidCount() {
		fields.Short()
	}
	blocks := readContainer(fields, version, sectionBlocks, blockIndirect, blockMinBits)
	readContainer(fields, version, sectionBiomes, biomeIndirect, 1)
	return blocks
}

// container is a paletted container: for each element an index of bits bits, into the palette if there is one.
type container struct {
	bits    int
	palette []int32
	data    []byte // 64-bit words, big endian; no element spans two words
}

// readContainer reads a container of count elements. A palette index of more than indirect bits is global.
func readContainer(fields *wire.Fields, version protocol.Version, count, indirect, minBits int) container {
	c := container{bits: int(fields.Byte())}
	switch {
	case c.bits == 0:
		c.palette = []int32{fields.VarInt()}
	case c.bits <= indirect:
		c.bits = max(c.bits, minBits)
		size := fields.Count(1)
		if size > 1<<c.bits {
			fields.Fail("palette of %d for %d bits", size, c.bits)
			return container{}
		}
		c.palette = make([]int32, size)
		for i := range c.palette {
			c.palette[i] = fields.VarInt()
		}
	case c.bits > maxContainer:
		fields.Fail("%d bits an element", c.bits)
		return container{}
	}
	words := 0
	if c.bits > 0 {
		perWord := 64 / c.bits
		words = (count + perWord - 1) / perWord
	}
	if !version.PlainHeightmaps() {
		words = fields.Count(8)
	}
	c.data = fields.Bytes(words * 8)
	return c
}

// at returns the block state at coordinates of the world within the section, 0 (air) if the data has none.
func (c container) at(x, y, z int) int32 {
	if c.bits == 0 {
		return c.lookup(0)
	}
	index := (y&15)<<8 | z<<4 | x
	perWord := 64 / c.bits
	word := index / perWord * 8
	if word+8 > len(c.data) {
		return 0
	}
	var bits uint64
	for _, b := range c.data[word : word+8] {
		bits = bits<<8 | uint64(b)
	}
	return c.lookup(int32(bits >> (index % perWord * c.bits) & (1<<c.bits - 1)))
}

func (c container) lookup(value int32) int32 {
	if c.palette == nil {
		return value
	}
	if int(value) >= len(c.palette) {
		return 0
	}
	return c.palette[value]
}
