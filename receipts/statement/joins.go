package statement

import (
	"slices"
)

// JoinDepth is the join depth that counts as reached in this run.
func (r *Receipt) JoinDepth() string {
	if r.Run.Depth == "" {
		return Held
	}
	return r.Run.Depth
}

// Classes of a join that are decided on. The others are for people.
const (
	ClassOK        = "ok"         // got to the wanted depth
	ClassTraceLost = "trace-lost" // in play, and what the visit before had left is gone
)

// AtLeast says whether a join depth is no less than another. An unknown depth is less than any, and no depth is
// at least an unknown one.
func AtLeast(depth, want string) bool {
	depths := []string{Query, Partial, Joined, Held}
	wanted := slices.Index(depths, want)
	return wanted >= 0 && slices.Index(depths, depth) >= wanted
}
