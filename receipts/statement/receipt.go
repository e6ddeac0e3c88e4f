package statement

import (
	"strings"
	"time"
)

func (r *Receipt) Checkpoint(name string) *Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

func (cp *Checkpoint) Claim(role string) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

// RunsAs says whether an imageID that the kubelet reported is this revision's.
func (r Revision) RunsAs(imageID string) bool {
	_, digest, found := strings.Cut(imageID, "@")
	return found && IsDigest(digest) && (digest == r.Digest || digest == r.PlatformDigest)
}

// Receipt is what one rehearsal of one candidate saw: the predicate of a signed statement.
// It holds observations; the checks, the verdict and the disposition follow from them (see Evaluate),
// and a verifier derives them anew rather than believing them.
type Receipt struct {
	Run         Run          `json:"run"`
	Environment Environment  `json:"environment"`
	Baseline    Revision     `json:"baseline"`
	Candidate   Revision     `json:"candidate"`
	Checkpoints []Checkpoint `json:"checkpoints"`
	Backup      *Backup      `json:"backup,omitempty"`
	Restores    []Restore    `json:"restores"`
	Fleet       []Member     `json:"fleet"`
	Journal     JournalState `json:"journal"`
	Spans       []Span       `json:"spans"`
	Fault       *Fault       `json:"fault,omitempty"`
	Checks      []Check      `json:"checks"`
	Verdict     Verdict      `json:"verdict"`
	Disposition Disposition  `json:"disposition"`
}

// Run says which rehearsal this is a receipt of.
type Run struct {
	ID         string    `json:"id"`
	Scenario   string    `json:"scenario"`
	Challenge  string    `json:"challenge,omitempty"` // the gate's nonce, where it gave one
	Depth      string    `json:"depth,omitempty"`     // join depth that counts as reached; "" means HELD
	Harness    string    `json:"harness"`             // version of the program that wrote the receipt
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	Marker     string    `json:"marker"`    // random value that the player left in the world before the backup
	CloneMods  string    `json:"cloneMods"` // random value put into the clone's own mods claim
}

// Environment is where the rehearsal took place.
type Environment struct {
	Architecture string   `json:"architecture"` // GOARCH of the node that ran the clone
	Emulated     bool     `json:"emulated"`     // the node's processor is not the machine's
	Kubernetes   string   `json:"kubernetes"`   // version of the API server
	NodeImage    string   `json:"nodeImage"`
	ClusterUID   string   `json:"clusterUID"` // UID of the kube-system namespace
	Egress       string   `json:"egress"`     // EgressClosed or EgressOpen
	Operator     Operator `json:"operator"`
	Restic       string   `json:"restic"` // image of the restic that made and restored the backup, by digest, or its version
}

// Egress of the cluster.
const (
	EgressClosed = "closed" // nothing in the cluster reaches past it
	EgressOpen   = "open"
)

// Operator is the operator under which the rehearsal ran, and what it was found to be able to do.
type Operator struct {
	Name     string   `json:"name"`
	Image    string   `json:"image"`    // imageID of its running container, or "" where it runs outside the cluster
	Adoption string   `json:"adoption"` // the lever used: "OnRequest" or "ImagePin"
	Features []string `json:"features"`
}

// Revision is a template and an image, both by digest ("sha256:<hex>").
type Revision struct {
	Name           string `json:"name"`  // for people: "1.20.2", "1.21.1"
	Image          string `json:"image"` // reference by digest, as given to the operator
	Digest         string `json:"digest"`
	PlatformDigest string `json:"platformDigest,omitempty"` // manifest of the architecture, where Digest is an index
	Template       string `json:"template"`
	TemplateDigest string `json:"templateDigest"`
	Bundle         string `json:"bundle,omitempty"` // digest of the signed module bundle that the template came in, where there is one
	Fixture        bool   `json:"fixture"`          // a game made for tests, not one that people play
}

// Checkpoint names.
const (
	Before    = "before"
	Candidate = "candidate"
	Rollback  = "rollback"
	Restored  = "restored"
)

// Outcome is what came of a checkpoint.
type Outcome string

// Outcomes of a checkpoint.
const (
	Reached Outcome = "reached" // the revision runs and was joined to the depth that the policy of the run asks
	Refused Outcome = "refused" // it does not; Reason says why
)

// Checkpoint is a named moment at which everything about the clone was observed.
type Checkpoint struct {
	Name     string    `json:"name"`
	At       time.Time `json:"at"`
	Outcome  Outcome   `json:"outcome"`
	Reason   Reason    `json:"reason,omitempty"`  // stable class: see Reason constants
	Message  string    `json:"message,omitempty"` // the kubelet's, the game's or the probe's own words, cut to 512 bytes
	Revision string    `json:"revision"`          // digest asked for at this checkpoint
	Pod      *Pod      `json:"pod,omitempty"`
	Claims   []Claim   `json:"claims"`
	Joins    []Join    `json:"joins"`
	World    *World    `json:"world,omitempty"`
}

// Pod is the clone's or a fleet member's pod as the API server reported it.
type Pod struct {
	Name         string `json:"name"`
	UID          string `json:"uid"`
	Node         string `json:"node"`
	Architecture string `json:"architecture"`
	Image        string `json:"image"`
	ImageID      string `json:"imageID"` // "" while no container has started
	Restarts     int    `json:"restarts"`
}

// Depths of a join, in rising order.
const (
	Query   = "QUERY"   // the server's status was answered
	Partial = "PARTIAL" // the login was begun
	Joined  = "JOINED"  // the player is in play
	Held    = "HELD"    // stayed, answered keep-alives, edited the world and saw the edit kept
)

// Claim roles.
const (
	Primary = "primary"
	Extra   = "extra"
	Mods    = "mods"
)

// Claim is a volume claim of the clone and what was read from it through a pod that the harness trusts.
type Claim struct {
	Role   string `json:"role"`
	Name   string `json:"name"`
	UID    string `json:"uid"`
	Volume string `json:"volume"`
	Read   bool   `json:"read"`             // whether the content below was read at this checkpoint
	Marker string `json:"marker,omitempty"` // value of the marker file in this claim, "" where there is none
	Tree   string `json:"tree,omitempty"`   // sha256 over the content manifest
	Files  int    `json:"files"`
	Bytes  string `json:"bytes"` // decimal: 64-bit numbers are strings
}

// Join is one player's visit.
type Join struct {
	Depth    string `json:"depth"` // QUERY, PARTIAL, JOINED, HELD; "" where not even the status was answered
	Class    string `json:"class"` // stable class of the result, "ok" at the wanted depth
	Evidence string `json:"evidence"`
	Protocol int    `json:"protocol,omitempty"`
	Version  string `json:"version,omitempty"`
	Pod      string `json:"pod"`              // UID of the pod that was joined: two joins around a restart name two pods
	Player   string `json:"player,omitempty"` // UUID that the server gave
	Marker   string `json:"marker,omitempty"` // value read from the world over the play protocol
	Millis   int64  `json:"millis,string"`
	HTTP     string `json:"http,omitempty"` // body served over HTTP on the game port, where something did: cut to 512 bytes
	Control  bool   `json:"control"`        // the same probe against an address where nothing listens failed, as it must
}

// World is what the save on disk says of itself.
type World struct {
	DataVersion  int    `json:"dataVersion"`
	Nonce        string `json:"nonce"`                  // given to the world when it was generated
	FormatMarker string `json:"formatMarker,omitempty"` // left by a version that rewrote the save; "" where there is none
	Chunks       int    `json:"chunks"`                 // pieces of land, in all dimensions
	Players      int    `json:"players"`                // those of whom something is saved
	Damaged      int    `json:"damaged,omitempty"`      // region files and players that cannot be read, and are not counted
}

// Backup is the restic snapshot that the clone was restored from.
type Backup struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Snapshot string `json:"snapshot"`
	Source   string `json:"source"`   // the fleet member
	Revision string `json:"revision"` // image digest recorded with it
	// Origin is where the fleet member's world came from, where that is an existing server.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin is the Backup of an existing server from which a fleet member was restored.
type Origin struct {
	Server   string `json:"server"`   // the existing server
	Backup   string `json:"backup"`   // name of its Backup
	Snapshot string `json:"snapshot"` // restic snapshot of the Backup
}

// Restore is one Restore object made for the clone, oldest first. The first seeds the clone.
type Restore struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Snapshot string `json:"snapshot"`
	Purpose  string `json:"purpose"` // see Purpose constants
}

// Purposes of a Restore.
const (
	PurposeSeed     = "seed"     // fills the new clone
	PurposeRollback = "rollback" // brings the clone back after the candidate
)

// Member is a fleet member that must stay untouched, watched for the whole rehearsal.
type Member struct {
	Server   string   `json:"server"`
	PodUIDs  []string `json:"podUIDs"` // every UID that its pod had; one means untouched
	ImageID  string   `json:"imageID"`
	Restarts int      `json:"restarts"`
	Alive    bool     `json:"alive"`             // at the end its pod is there, ready, and not being deleted
	Gapless  bool     `json:"gapless"`           // the watch was never broken
	Pending  string   `json:"pending,omitempty"` // revision that the member was offered and did not adopt
}

// JournalState is the rollout journal at the end of the rehearsal, before the candidate was admitted.
type JournalState struct {
	Entries  int      `json:"entries"`
	Head     string   `json:"head"`     // digest of the last entry
	Admitted []string `json:"admitted"` // image digests, in order; the baseline's alone unless something was admitted
}

// Check is one thing that must hold, derived from the observations. In a receipt only one that does not hold says what it
// wants and got; Evaluate tells it of all.
type Check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// Span is a phase of the rehearsal. Spans do not overlap; with the gaps between them they add up to the run.
type Span struct {
	Name   string    `json:"name"`
	Start  time.Time `json:"start"`
	Millis int64     `json:"millis,string"`
	Waited string    `json:"waited,omitempty"` // what the time went into
}

// Fault ends a rehearsal before its course is complete.
type Fault struct {
	Class   string `json:"class"` // see Fault constants
	Step    string `json:"step"`
	Message string `json:"message"`
}

// Classes of a fault.
const (
	FaultProduct        = "product"        // the candidate or the operator did wrong
	FaultHarness        = "harness"        // the rehearsal itself did wrong
	FaultInfrastructure = "infrastructure" // the cluster, the registry or the machine failed
	FaultInterrupted    = "interrupted"    // the rehearsal was told to stop
)

// Verdict says whether the case went as it must. It says nothing of the candidate: see Disposition.
type Verdict string

const (
	Passed       Verdict = "PASSED"
	Failed       Verdict = "FAILED"
	Error        Verdict = "ERROR" // a fault of harness or infrastructure: nothing is known of the candidate
	Inconclusive Verdict = "INCONCLUSIVE"
)

// Disposition is what the case says of the candidate.
type Disposition string

const (
	CompatibleRollback Disposition = "promotable/compatible-rollback"
	RestoreRequired    Disposition = "promotable/restore-required"
	// BlockedPrefix starts every disposition that blocks; what follows is the Reason of the checkpoint that was refused.
	BlockedPrefix = "blocked/"
)

// Blocked is the disposition of a candidate that was refused for a reason.
func Blocked(reason Reason) Disposition { return BlockedPrefix + Disposition(reason) }

// Promotable says whether the candidate may be promoted at some price: nothing blocks it.
func (d Disposition) Promotable() bool { return d == CompatibleRollback || d == RestoreRequired }

// RefusalReason is a stable class of why a checkpoint is refused.
type Reason string

// Reasons for which a checkpoint is refused.
const (
	ReasonImagePull  Reason = "image-pull"  // the kubelet cannot pull the image
	ReasonCrash      Reason = "crash"       // the game's container exits
	ReasonNewerWorld Reason = "newer-world" // the game refuses a save that a newer version wrote
	ReasonNotReady   Reason = "not-ready"   // not ready by the deadline
	ReasonJoinFailed Reason = "join-failed" // ready, but no player got to the wanted depth
	ReasonWorldLost  Reason = "world-lost"  // joined, but the marker is not in the world
	ReasonWrongImage Reason = "wrong-image" // the pod runs another digest than the one asked for
	ReasonUnproven   Reason = "unproven"    // said to be reached, but the observations do not show it
	ReasonUnfinished Reason = "unfinished"  // the rehearsal ended before this could be seen
	ReasonNoWayBack  Reason = "no-way-back" // the candidate runs, but neither rollback nor restore brought the baseline back
)
