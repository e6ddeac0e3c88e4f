// Package runconfig reads the file that says which update `rehearsal run --config` plays, where, and how.
package runconfig

import "time"

// Version is the version of configuration files.
const Version = "rehearsal/config/v1"

// Config is one configuration file.
type Config struct {
	Version    string      `json:"version"` // rehearsal/config/v1
	Cluster    Cluster     `json:"cluster"`
	Operator   Operator    `json:"operator,omitempty"`
	Server     Server      `json:"server"`
	Baseline   Image       `json:"baseline,omitempty"` // what runs today; what the server runs where not given
	Candidates []Candidate `json:"candidates"`         // the updates to rehearse, at least one; each gets a run of its own
	Seed       Seed        `json:"seed"`
	Game       Game        `json:"game,omitempty"`
	Refusal    Refusal     `json:"refusal,omitempty"`
	Limits     Limits      `json:"limits,omitempty"`
	Controls   []string    `json:"controls,omitempty"` // bad images to play with the update: bad-image/unpullable and bad-image/http-only where not given
	Images     Images      `json:"images"`
	Policy     string      `json:"policy,omitempty"` // policy file to decide by at the end; no decision where not given
	Key        string      `json:"key,omitempty"`    // private key file that signs the receipts; a key for the run alone where not given
	Out        string      `json:"out,omitempty"`    // directory in which the run makes its own; runs where not given
}

// Cluster is an existing cluster. Nothing but objects with the run's label is made or removed there.
type Cluster struct {
	Kubeconfig string `json:"kubeconfig,omitempty"` // file; $KUBECONFIG or ~/.kube/config only where it is "default"
	Context    string `json:"context,omitempty"`    // the file's current context where not given
	Namespace  string `json:"namespace"`            // where the server and its Backup are, and where the clones are made
}

// Operator is the operator that runs in the cluster.
type Operator struct {
	Namespace  string `json:"namespace,omitempty"`  // gameplane-system where not given
	Deployment string `json:"deployment,omitempty"` // gameplane-operator where not given
	Fields     Fields `json:"fields,omitempty"`     // names of its fields, where they are not the default ones
}

// Fields are fields of the operator's objects, as dotted paths.
type Fields struct {
	Policy      string `json:"policy,omitempty"`      // who decides that a server follows its template; spec.templateUpdatePolicy
	Request     string `json:"request,omitempty"`     // the revision that a server is asked to run; spec.templateRevision
	Pending     string `json:"pending,omitempty"`     // the revision that a server was offered; status.pendingRevision.templateDigest
	Revisions   string `json:"revisions,omitempty"`   // the revisions of a template; status.revisions
	BackupImage string `json:"backupImage,omitempty"` // the image that a server ran at its backup; status.revision.image
}

// Server is the running server that the update is for. It is read and watched, never changed.
type Server struct {
	Name string `json:"name"` // of the GameServer; clones copy its template, version, environment, resources and storage
}

// Image is a game's image.
type Image struct {
	Name  string `json:"name,omitempty"`  // what people call it, such as 1.21.1
	Image string `json:"image,omitempty"` // reference; a tag is resolved to its digest once
}

// Candidate is an update to rehearse.
type Candidate struct {
	Name   string `json:"name"`             // what people call it, such as 1.21.4; distinct
	Image  string `json:"image"`            // reference; a tag is resolved to its digest once
	Bundle string `json:"bundle,omitempty"` // digest of the module bundle that the image comes in
}

// Seed is where the clones' world comes from.
type Seed struct {
	Backup string `json:"backup"` // an existing Backup of the server, in the cluster's namespace
}

// Game says how a player joins.
type Game struct {
	Client   string `json:"client,omitempty"`   // minecraft where not given, and the only one known
	Port     int    `json:"port,omitempty"`     // of the server's Service; 25565 where not given
	Protocol int    `json:"protocol,omitempty"` // version of the protocol; found out from the server's status where not given
	Player   string `json:"player,omitempty"`   // name of the player; rehearsal where not given
}

// Refusal is how the game says that a newer version wrote its world. Vanilla's and Paper's words are known.
type Refusal struct {
	ExitCodes   []int    `json:"exitCodes,omitempty"`   // exit codes that say so
	LogPatterns []string `json:"logPatterns,omitempty"` // regular expressions (RE2) of a line of the log that says so
}

// Limits bound the waits of a rehearsal.
type Limits struct {
	Start Duration `json:"start,omitempty"` // from asking for an image to a ready pod; 2m where not given
	Join  Duration `json:"join,omitempty"`  // one visit of the player; 20s where not given
	Hold  Duration `json:"hold,omitempty"`  // how long the player stays in the game; 2s where not given
	Copy  Duration `json:"copy,omitempty"`  // one Backup, one Restore, or reading every byte of the claims; 3m where not given
	Stop  Duration `json:"stop,omitempty"`  // what the game gets to save when it is stopped; the server's own where not given
}

// Images says where the cluster pulls the harness's own images from.
type Images struct {
	Registry   string `json:"registry"`             // repository prefix to push to and pull from, such as registry.example/rehearsal
	Push       string `json:"push,omitempty"`       // prefix to push to, where this machine reaches the registry by another name
	Insecure   bool   `json:"insecure,omitempty"`   // the registry speaks HTTP
	PullSecret string `json:"pullSecret,omitempty"` // Secret with which the cluster pulls, in the cluster's namespace
}

// Duration is a time.Duration written as Go writes it: "90s".
type Duration time.Duration
