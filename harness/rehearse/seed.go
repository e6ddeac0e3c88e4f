package rehearse

import (
	"fmt"
	"regexp"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// denied matches the words of a game that may not write what a Restore left.
var denied = regexp.MustCompile(`(?i)permission denied|AccessDeniedException|operation not permitted|read-only file system`)

// seedProblem says what is wrong with a restored clone on which the baseline does not run. A Restore that succeeded may
// have written nothing, the wrong world, an old one, or files that the game may not write: only the content tells.
func seedProblem(before statement.Checkpoint, marker string) string {
	primary := before.Claim(statement.Primary)
	switch {
	case primary == nil || !primary.Read:
		return "the clone's world could not be read"
	case primary.Files == 0:
		return "the Restore wrote nothing: the primary claim is empty"
	case before.Reason != statement.ReasonWorldLost && denied.MatchString(before.Message):
		return "the game may not write the files that the Restore left: they belong to another user"
	case primary.Marker != "" && primary.Marker != marker:
		return fmt.Sprintf("the snapshot is of another server or claim: the primary claim holds the marker %q, not %q", primary.Marker, marker)
	case primary.Marker == "":
		return "the snapshot is older than the save that it should hold, or of another server: the marker is not in the primary claim"
	case before.Reason == statement.ReasonWorldLost:
		return "the snapshot lacks what the player left: the save was not flushed before the Backup, or a claim is not in the Backup"
	}
	return "the baseline does not run on the restored clone"
}
