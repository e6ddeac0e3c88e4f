package backup

import "regexp"

// Cause is why a copy failed for a reason that lies with the repository, and not with a game or an operator.
type Cause string

// Causes that restic's words tell apart.
const (
	WrongPassword   Cause = "wrong-password"    // the Secret's password opens no key of the repository
	SnapshotMissing Cause = "snapshot-missing"  // never made, or forgotten meanwhile
	DamagedPack     Cause = "damaged-pack"      // data of the snapshot is lost or altered
	Locked          Cause = "repository-locked" // another restic works on it, or was killed
	Unreachable     Cause = "repository-unreachable"
	NoRepository    Cause = "repository-missing" // nothing, or something else, is at the address
	DiskFull        Cause = "disk-full"
)

// words are what restic 0.17 to 0.19 prints for each cause, the more telling first: what a damaged pack makes restic say
// may also hold the words of the network.
var words = []struct {
	cause   Cause
	pattern *regexp.Regexp
}{
	{WrongPassword, regexp.MustCompile(`wrong password or no key found|repository's password may be wrong`)},
	{Locked, regexp.MustCompile(`repository is already locked|unable to create lock in backend`)},
	{SnapshotMissing, regexp.MustCompile(`failed to find snapshot|no matching ID found for prefix|snapshot .* (?:not found|does not exist)`)},
	{DiskFull, regexp.MustCompile(`no space left on device|disk quota exceeded|file too large`)},
	{Unreachable, regexp.MustCompile(`connection refused|no such host|i/o timeout|no route to host|network is unreachable|server misbehaving|context deadline exceeded`)},
	{NoRepository, regexp.MustCompile(`repository does not exist|unable to open config file|Is there a repository at the following location`)},
	{DamagedPack, regexp.MustCompile(`ciphertext verification failed|invalid data returned|pack .* (?:not found|damaged)|There were \d+ errors|ReadFull\(.*\)|unexpected pack|wrong data returned`)},
}

// CauseOf names the cause in the words of a copy that failed, or "" where they name none of these.
func CauseOf(message string) Cause {
	for _, each := range words {
		if each.pattern.MatchString(message) {
			return each.cause
		}
	}
	return ""
}

// Advice says what to do about a cause.
func (c Cause) Advice() string {
	switch c {
	case WrongPassword:
		return "put the repository's password into its Secret"
	case SnapshotMissing:
		return "choose a Backup whose snapshot is still in the repository"
	case DamagedPack:
		return "check the repository with restic check --read-data, and choose another Backup"
	case Locked:
		return "wait for the other restic, or remove a stale lock with restic unlock"
	case Unreachable:
		return "make the repository reachable from the namespace"
	case NoRepository:
		return "check the repository's address in its Secret"
	case DiskFull:
		return "give the claims, or the repository, more room"
	}
	return ""
}
