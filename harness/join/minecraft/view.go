package minecraft

import (
	"strings"

	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/protocol"
	"github.com/GameplanePanel/rehearsal/harness/join/minecraft/wire"
)

// Marker and trace are two rows of 16 wool blocks, along x from 0, in chunk 0,0, high above the ground.
// The colour of each block is one hexadecimal digit, in the order of the game's colours (white is 0).
const (
	rowY    = 200
	markerZ = 8
	traceZ  = 9
)

const hexDigits = "0123456789abcdef"

// row is what the player knows of 16 blocks in a line: their block states.
type row [join.MarkerDigits]int32

// view is what the player sees of the world.
type view struct {
	loaded bool // chunk 0,0 has come
	chunks int
	marker row
	trace  row
}

// set applies a block change that the server sent.
func (w *view) set(at wire.Position, state int32) {
	if at.Y != rowY || at.X < 0 || at.X >= join.MarkerDigits {
		return
	}
	switch at.Z {
	case markerZ:
		w.marker[at.X] = state
	case traceZ:
		w.trace[at.X] = state
	}
}

// digits reads a row, or returns "" if a block is not wool.
func (r row) digits(version protocol.Version) string {
	digits := make([]byte, 0, len(r))
	for _, state := range r {
		colour, ok := version.Colour(state)
		if !ok {
			return ""
		}
		digits = append(digits, hexDigits[colour])
	}
	return string(digits)
}

// rowOf returns the row for valid digits.
func rowOf(digits string, version protocol.Version) row {
	var r row
	for i := range r {
		r[i] = version.Wool(strings.IndexByte(hexDigits, digits[i]))
	}
	return r
}
