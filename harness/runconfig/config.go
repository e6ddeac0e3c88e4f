// Package runconfig reads the file that says which update `rehearsal run --config` plays, where, and how.
//
// The comments of the types are also the text of docs/config.md, of the JSON Schema and of `rehearsal config explain`.
package runconfig

// Version is the version of configuration files.
const Version = "rehearsal/config/v1"

// Config is one configuration file.
type Config struct {
	// Version of the file's form.
	Version string  `json:"version"`
	Cluster Cluster `json:"cluster"`
	// Operator and its fields, for an installation that differs from Gameplane's defaults.
	Operator Operator `json:"operator,omitempty"`
	Server   Server   `json:"server"`
	// Baseline is what runs today. Without an image, it is what the server runs.
	Baseline Image `json:"baseline,omitempty"`
	// Candidates are the updates to rehearse, at least one. Each has a separate run.
	Candidates []Candidate `json:"candidates"`
	Seed       Seed        `json:"seed"`
	Game       Game        `json:"game,omitempty"`
	Refusal    Refusal     `json:"refusal,omitempty"`
	Limits     Limits      `json:"limits,omitempty"`
	// Controls are bad images to play with the update. They show that the harness blocks a bad image. An empty list plays
	// none.
	Controls []string `json:"controls,omitzero"`
	Images   Images   `json:"images"`
	// Policy file that decides on the receipts at the end. Without it, the run makes no decision.
	Policy string `json:"policy,omitempty"`
	// Key is the file with the private key that signs the receipts. Without it, the run makes a key for itself alone.
	Key string `json:"key,omitempty"`
	// Out is the directory in which each run makes its directory.
	Out string `json:"out,omitempty"`
}

// Cluster is an existing cluster. A run makes and removes only objects with the run's label there.
type Cluster struct {
	// Kubeconfig file of the cluster. The value "default" means $KUBECONFIG or ~/.kube/config. No cluster is used by
	// accident: without this key, none of these files is read.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// Context of the kubeconfig. Without it, the current context.
	Context string `json:"context,omitempty"`
	// Egress of the copies. "closed" keeps them inside the namespace, so that a copy of a real server calls no webhook and
	// announces itself nowhere; it needs a network that enforces NetworkPolicies. "open" lets a game reach the internet,
	// for images that download the game when they start.
	Egress string `json:"egress,omitempty"`
	// Namespace that holds the server and its Backup. The clones run there, too.
	Namespace string `json:"namespace"`
}

// Operator is the operator that runs in the cluster.
type Operator struct {
	// Namespace of the operator.
	Namespace string `json:"namespace,omitempty"`
	// Deployment of the operator.
	Deployment string `json:"deployment,omitempty"`
	// Fields of the operator's objects, where their paths differ from the defaults.
	Fields Fields `json:"fields,omitempty"`
}

// Fields are fields of the operator's objects, as dotted paths.
type Fields struct {
	// Policy says whether a server follows its template at once or waits for a request.
	Policy string `json:"policy,omitempty"`
	// Request names the revision that a server is asked to run.
	Request string `json:"request,omitempty"`
	// Pending names the revision that the operator offers to a server.
	Pending string `json:"pending,omitempty"`
	// Revisions lists the revisions of a template.
	Revisions string `json:"revisions,omitempty"`
	// BackupImage names the image that a server ran at its Backup.
	BackupImage string `json:"backupImage,omitempty"`
}

// Server is the running server that the update is for. A run reads and watches it, and never changes it.
type Server struct {
	// Name of the GameServer. Clones copy its template, version, environment, resources and storage.
	Name string `json:"name"`
	// Env of the copies, over the server's. A server that asks for bought accounts needs the variable that makes it run
	// offline here, such as ONLINE_MODE: the player has no account.
	Env []Variable `json:"env,omitempty"`
}

// Variable is an environment variable.
type Variable struct {
	// Name of the variable.
	Name string `json:"name"`
	// Value of the variable.
	Value string `json:"value"`
}

// Image is a game's image.
type Image struct {
	// Name that people use for the version, such as 1.21.1.
	Name string `json:"name,omitempty"`
	// Image reference. A run resolves a tag to its digest once, at its start.
	Image string `json:"image,omitempty"`
}

// Candidate is an update to rehearse.
type Candidate struct {
	// Name that people use for the version, such as 1.21.4. No two candidates share a name.
	Name string `json:"name"`
	// Image reference. A run resolves a tag to its digest once, at its start.
	Image string `json:"image"`
	// Bundle is the digest of the signed module bundle that the candidate comes in. The receipt names it.
	Bundle string `json:"bundle,omitempty"`
}

// Seed is the source of the clones' world.
type Seed struct {
	// Backup of the server that the clones are restored from. It exists already, in the cluster's namespace.
	Backup string `json:"backup"`
}

// Game says how a player joins.
type Game struct {
	// Client that plays the player.
	Client string `json:"client,omitempty"`
	// Port of the server's Service.
	Port int `json:"port,omitempty"`
	// Protocol is the version of the game's protocol. Without it, the client takes it from the server's status.
	Protocol int `json:"protocol,omitempty"`
	// Player is the name with which the player joins.
	Player string `json:"player,omitempty"`
}

// Refusal says how the game reports that a newer version wrote its world. A run knows the reports of vanilla and Paper
// without it.
type Refusal struct {
	// ExitCodes of a game that refuses its world.
	ExitCodes []int `json:"exitCodes,omitempty"`
	// LogPatterns are regular expressions (RE2). A line of the log that matches one is a refusal.
	LogPatterns []string `json:"logPatterns,omitempty"`
}

// Limits bound the waits of a rehearsal.
type Limits struct {
	// Start bounds the time from the request for an image to a ready pod.
	Start Duration `json:"start,omitempty"`
	// Join bounds one join of the player, with the time that the player stays.
	Join Duration `json:"join,omitempty"`
	// Hold is how long the player stays in the game. It is shorter than join.
	Hold Duration `json:"hold,omitempty"`
	// Copy bounds one Backup, one Restore, or one reading of every byte of the claims.
	Copy Duration `json:"copy,omitempty"`
	// Stop is how long the game may save when it is stopped. Without it, the server's own grace period.
	Stop Duration `json:"stop,omitempty"`
}

// Images says where the cluster pulls the harness's own images from.
type Images struct {
	// Registry is the repository prefix to pull from, such as registry.example/rehearsal.
	Registry string `json:"registry"`
	// Push is the repository prefix to push to, where this machine knows the registry by another name. Without it, the
	// value of registry.
	Push string `json:"push,omitempty"`
	// Insecure says that the registry speaks plain HTTP.
	Insecure bool `json:"insecure,omitempty"`
	// PullSecret is the Secret with which the cluster pulls, in the cluster's namespace.
	PullSecret string `json:"pullSecret,omitempty"`
}
