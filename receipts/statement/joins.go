package statement

import (
	"slices"
)

// JoinDepth returns the join depth that a checkpoint of this run needs to count as reached.
func (r *Receipt) JoinDepth() string {
	if r.Run.Depth == "" {
		return Held
	}
	return r.Run.Depth
}

// Classes of a join that an evaluation reads. All other classes are for people.
const (
	ClassOK        = "ok"         // the player got to the wanted depth
	ClassTraceLost = "trace-lost" // the player is in play, and the trace of the previous join is gone
)

// AtLeast says whether a join depth is at least another one. It is false if either depth is unknown.
func AtLeast(depth, want string) bool {
	depths := []string{Query, Partial, Joined, Held}
	wanted := slices.Index(depths, want)
	return wanted >= 0 && slices.Index(depths, depth) >= wanted
}
