package existing

import (
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Summary says in a sentence for the server's owner what the receipt of an update means.
func Summary(update statement.Receipt) string {
	if update.Verdict == statement.Error {
		return "nothing is known: the rehearsal itself failed; run it again"
	}
	switch update.Disposition {
	case statement.CompatibleRollback:
		return "promotable; going back is safe, the old version reads what the new one saved"
	case statement.RestoreRequired:
		return "promotable, but going back takes a restore of the backup, and loses what was played since"
	}
	return "blocked: " + reasonWords(statement.Reason(strings.TrimPrefix(string(update.Disposition), statement.BlockedPrefix)))
}

// reasonWords says in plain words why a candidate is blocked.
func reasonWords(reason statement.Reason) string {
	switch reason {
	case statement.ReasonImagePull:
		return "the cluster cannot pull the image"
	case statement.ReasonCrash:
		return "the game exits"
	case statement.ReasonNewerWorld:
		return "the game refuses the world, because a newer version wrote it"
	case statement.ReasonNotReady:
		return "the game is not ready in time"
	case statement.ReasonJoinFailed:
		return "no player can join and play"
	case statement.ReasonWorldLost:
		return "the world, or a part of it, is gone"
	case statement.ReasonWrongImage:
		return "another image runs than the one that was asked for"
	case statement.ReasonNoWayBack:
		return "it runs, but neither the old version nor a restore brings the old state back"
	case statement.ReasonUnproven:
		return "the rehearsal did not show that it runs and keeps the world"
	case statement.ReasonUnfinished:
		return "the rehearsal ended early"
	}
	return string(reason)
}
