package statement

import (
	"strings"
	"time"
)

// Checkpoint returns the checkpoint of a name, or nil.
func (r *Receipt) Checkpoint(name string) *Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

// Claim returns the first claim of a role, or nil.
func (cp *Checkpoint) Claim(role string) *Claim {
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

// RunsAs says whether an imageID that the kubelet reported belongs to this revision.
func (r Revision) RunsAs(imageID string) bool {
	_, digest, found := strings.Cut(imageID, "@")
	return found && IsDigest(digest) && (digest == r.Digest || digest == r.PlatformDigest)
}

// Receipt records what one rehearsal of one candidate observed. It is the predicate of a signed statement.
// The checks, the verdict and the disposition follow from the observations (see evaluation.Of). A verifier derives them
// again and does not trust them.
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

// Run identifies the rehearsal.
type Run struct {
	ID         string    `json:"id"`
	Scenario   string    `json:"scenario"`
	Challenge  string    `json:"challenge,omitempty"` // the gate's nonce, if it gave one
	Depth      string    `json:"depth,omitempty"`     // join depth that a checkpoint needs to count as reached; "" means HELD
	Harness    string    `json:"harness"`             // version of the program that wrote the receipt
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	Marker     string    `json:"marker"`    // random value that the player left in the world before the backup
	CloneMods  string    `json:"cloneMods"` // random value in the clone's mods claim
}

// Environment describes the cluster in which the rehearsal took place.
type Environment struct {
	Architecture string   `json:"architecture"` // GOARCH of the node that ran the clone
	Emulated     bool     `json:"emulated"`     // the machine emulates the node's processor
	Kubernetes   string   `json:"kubernetes"`   // version of the API server
	NodeImage    string   `json:"nodeImage"`
	ClusterUID   string   `json:"clusterUID"` // UID of the kube-system namespace
	Egress       string   `json:"egress"`     // EgressClosed or EgressOpen
	Operator     Operator `json:"operator"`
	Restic       string   `json:"restic"` // restic that made and restored the backup: its image by digest, or its version
}

// Egress of the cluster.
const (
	EgressClosed = "closed" // nothing in the cluster can reach out of it
	EgressOpen   = "open"
)

// Operator is the operator of the rehearsal, with the features that were found.
type Operator struct {
	Name     string   `json:"name"`
	Image    string   `json:"image"`    // imageID of its running container, or "" if it runs outside the cluster
	Adoption string   `json:"adoption"` // how a server adopts a revision: "OnRequest" or "ImagePin"
	Features []string `json:"features"`
}

// Revision is a template and an image, both by digest ("sha256:<hex>").
type Revision struct {
	Name           string `json:"name"`  // for people: "1.20.2", "1.21.1"
	Image          string `json:"image"` // reference by digest, as given to the operator
	Digest         string `json:"digest"`
	PlatformDigest string `json:"platformDigest,omitempty"` // digest of the architecture's image manifest, if Digest is an index
	Template       string `json:"template"`
	TemplateDigest string `json:"templateDigest"`
	Bundle         string `json:"bundle,omitempty"` // digest of the signed module bundle that contains the template, if any
	Fixture        bool   `json:"fixture"`          // a game made for tests, not one that people play
}

// Checkpoint names.
const (
	Before    = "before"
	Candidate = "candidate"
	Rollback  = "rollback"
	Restored  = "restored"
)

// Outcome says how a checkpoint ended.
type Outcome string

// Outcomes of a checkpoint.
const (
	Reached Outcome = "reached" // the revision runs, and a player joined it to the depth of the run
	Refused Outcome = "refused" // anything else; Reason says why
)

// Checkpoint holds everything that was observed of the clone at a named moment.
type Checkpoint struct {
	Name     string    `json:"name"`
	At       time.Time `json:"at"`
	Outcome  Outcome   `json:"outcome"`
	Reason   Reason    `json:"reason,omitempty"`  // stable class: see the Reason constants
	Message  string    `json:"message,omitempty"` // what the kubelet, the game or the probe reported, cut to 512 bytes
	Revision string    `json:"revision"`          // image digest that the clone was asked to run
	Pod      *Pod      `json:"pod,omitempty"`
	Claims   []Claim   `json:"claims"`
	Joins    []Join    `json:"joins"`
	World    *World    `json:"world,omitempty"`
}

// Pod is the clone's pod as the API server reported it.
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
	Query   = "QUERY"   // the server answered a status request
	Partial = "PARTIAL" // the login began
	Joined  = "JOINED"  // the player is in play
	Held    = "HELD"    // the player stayed, answered keep-alives, edited the world and read the edit back
)

// Claim roles.
const (
	Primary = "primary"
	Extra   = "extra"
	Mods    = "mods"
)

// Claim is a volume claim of the clone, with the content that a pod of the harness read from it.
type Claim struct {
	Role   string `json:"role"`
	Name   string `json:"name"`
	UID    string `json:"uid"`
	Volume string `json:"volume"`
	Read   bool   `json:"read"`             // whether the content was read at this checkpoint
	Marker string `json:"marker,omitempty"` // value of the marker file in this claim, "" if it has none
	Tree   string `json:"tree,omitempty"`   // sha256 over the content manifest
	Files  int    `json:"files"`
	Bytes  string `json:"bytes"` // decimal: 64-bit numbers are strings
}

// Join is one attempt of a player to join.
type Join struct {
	Depth    string `json:"depth"` // QUERY, PARTIAL, JOINED or HELD; "" if the server did not even answer a status request
	Class    string `json:"class"` // stable class of the result, "ok" at the wanted depth
	Evidence string `json:"evidence"`
	Protocol int    `json:"protocol,omitempty"`
	Version  string `json:"version,omitempty"`
	Pod      string `json:"pod"`              // UID of the pod that was joined: joins before and after a restart name two pods
	Player   string `json:"player,omitempty"` // UUID that the server gave
	Marker   string `json:"marker,omitempty"` // value read from the world over the play protocol
	Millis   int64  `json:"millis,string"`
	HTTP     string `json:"http,omitempty"` // body that the game port served over HTTP, if any, cut to 512 bytes
	Control  bool   `json:"control"`        // the same probe failed at an address where nothing listens, as it must
}

// World is what the harness read from the save on disk.
type World struct {
	DataVersion  int    `json:"dataVersion"`
	Nonce        string `json:"nonce"`                  // random value that the world got when it was generated
	FormatMarker string `json:"formatMarker,omitempty"` // left by a version that rewrote the save; "" if there is none
	Chunks       int    `json:"chunks"`                 // in all dimensions
	Players      int    `json:"players"`                // players with saved data
	Damaged      int    `json:"damaged,omitempty"`      // region files and players that cannot be read and are not counted
}

// Backup is the restic snapshot that the clone was restored from.
type Backup struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Snapshot string `json:"snapshot"`
	Source   string `json:"source"`   // the fleet member that was backed up
	Revision string `json:"revision"` // image digest that the backup records
	// Origin says where the fleet member's world came from, if that is an existing server.
	Origin *Origin `json:"origin,omitempty"`
}

// Origin is the Backup of an existing server from which a fleet member was restored.
type Origin struct {
	Server   string `json:"server"`   // the existing server
	Backup   string `json:"backup"`   // name of its Backup
	Snapshot string `json:"snapshot"` // restic snapshot of the Backup
}

// Restore is one Restore object of the clone. The first one seeds the clone.
type Restore struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Snapshot string `json:"snapshot"`
	Purpose  string `json:"purpose"` // see the Purpose constants
}

// Purposes of a Restore.
const (
	PurposeSeed     = "seed"     // fills the new clone
	PurposeRollback = "rollback" // brings the clone back after the candidate
)

// Member is a fleet member that must stay untouched. The harness watches it for the whole rehearsal.
type Member struct {
	Server   string   `json:"server"`
	PodUIDs  []string `json:"podUIDs"` // every UID that its pod had; an untouched member has one
	ImageID  string   `json:"imageID"`
	Restarts int      `json:"restarts"`
	Alive    bool     `json:"alive"`             // at the end its pod exists, is ready, and is not being deleted
	Gapless  bool     `json:"gapless"`           // the watch never broke
	Pending  string   `json:"pending,omitempty"` // revision that the operator offered to the member and that it did not adopt
}

// JournalState is the state of the rollout journal at the end of the rehearsal, before it admits the candidate.
type JournalState struct {
	Entries  int      `json:"entries"`
	Head     string   `json:"head"`     // digest of the last entry
	Admitted []string `json:"admitted"` // image digests, in order; only the baseline's unless something was admitted
}

// Check is a requirement, evaluated on the observations. In a receipt, only a check that does not hold has Want and Got.
type Check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// Span is a phase of the rehearsal. Spans do not overlap.
type Span struct {
	Name   string    `json:"name"`
	Start  time.Time `json:"start"`
	Millis int64     `json:"millis,string"`
	Waited string    `json:"waited,omitempty"` // what the phase waited for
}

// Fault ends a rehearsal early.
type Fault struct {
	Class   string `json:"class"` // see the Fault constants
	Step    string `json:"step"`
	Message string `json:"message"`
}

// Classes of a fault.
const (
	FaultProduct        = "product"        // the candidate or the operator failed
	FaultHarness        = "harness"        // the harness failed
	FaultInfrastructure = "infrastructure" // the cluster, the registry or the machine failed
	FaultInterrupted    = "interrupted"    // somebody stopped the rehearsal
)

// Verdict says whether the case went as its scenario expects. It says nothing of the candidate: see Disposition.
type Verdict string

// Verdicts of a receipt.
const (
	Passed       Verdict = "PASSED"
	Failed       Verdict = "FAILED"
	Error        Verdict = "ERROR" // a fault of harness or infrastructure: nothing is known of the candidate
	Inconclusive Verdict = "INCONCLUSIVE"
)

// Disposition says what may be done with the candidate.
type Disposition string

// Dispositions of a receipt.
const (
	CompatibleRollback Disposition = "promotable/compatible-rollback"
	RestoreRequired    Disposition = "promotable/restore-required"
	// BlockedPrefix starts every disposition that blocks. The Reason of the refused checkpoint follows.
	BlockedPrefix = "blocked/"
)

// Blocked returns the disposition of a candidate that is refused for a reason.
func Blocked(reason Reason) Disposition { return BlockedPrefix + Disposition(reason) }

// Promotable says whether nothing blocks the candidate. A policy may still not allow the disposition.
func (d Disposition) Promotable() bool { return d == CompatibleRollback || d == RestoreRequired }

// Reason is a stable class of why a checkpoint is refused.
type Reason string

// Reasons for which a checkpoint is refused.
const (
	ReasonImagePull  Reason = "image-pull"  // the kubelet cannot pull the image
	ReasonCrash      Reason = "crash"       // the game's container exits
	ReasonNewerWorld Reason = "newer-world" // the game refuses a save that a newer version wrote
	ReasonNotReady   Reason = "not-ready"   // the pod was not ready by the deadline
	ReasonJoinFailed Reason = "join-failed" // the pod was ready, but no player got to the wanted depth
	ReasonWorldLost  Reason = "world-lost"  // a player joined, but the world is not the marked one
	ReasonWrongImage Reason = "wrong-image" // the pod runs another digest than the wanted one
	ReasonUnproven   Reason = "unproven"    // the observations do not show what the checkpoint claims
	ReasonUnfinished Reason = "unfinished"  // the rehearsal ended before it observed this
	ReasonNoWayBack  Reason = "no-way-back" // the candidate runs, but neither rollback nor restore brought the baseline back
)
