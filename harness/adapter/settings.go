package adapter

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// RunLabel is on every object that a Client makes; its value is Settings.Run.
const RunLabel = "rehearsal.gameplane.local/run"

// GameContainer is the container of a server's pod that runs the game.
const GameContainer = "game"

// DefaultRepository is the Secret of the restic repository that backups go to unless told otherwise.
const DefaultRepository = "restic-repository"

// Settings are what may differ between operators. The zero value of a field means the reference operator's.
type Settings struct {
	// Run is the value of RunLabel; the namespace where it is empty.
	Run string
	// Labels are on every object that a Client makes, next to RunLabel.
	Labels map[string]string
	// Repository is the Secret of the restic repository, with the keys "repo" and "password": DefaultRepository.
	Repository string
	// Pin adopts by the image of one server alone, also where the operator knows adoption on request: a revision is
	// installed by changing the template, which servers that nobody rehearses follow.
	Pin bool
	// NewerWorld tells how a game says that a newer version wrote its world, in addition to exit code 3 and the words of
	// vanilla and Paper.
	NewerWorld NewerWorld
	// Timeout bounds waits whose context has no deadline: 5 minutes.
	Timeout time.Duration

	// PolicyField holds who decides that a server follows its template: "spec.templateUpdatePolicy".
	PolicyField string
	// OnRequest is its value where a server waits to be asked: "OnRequest".
	OnRequest string
	// RequestField asks a server to run a revision, by its digest: "spec.templateRevision".
	RequestField string
	// PendingField is the revision that a server was offered and did not adopt: "status.pendingRevision.templateDigest".
	PendingField string
	// RevisionsField lists the revisions that a template has installed, the newest last, each with "digest" and "image":
	// "status.revisions".
	RevisionsField string
	// BackupImageField is the image that a server ran when it was backed up: "status.revision.image".
	BackupImageField string
}

func (s Settings) withDefaults(namespace string) Settings {
	s.Run = cmp.Or(s.Run, namespace)
	s.Repository = cmp.Or(s.Repository, DefaultRepository)
	s.Timeout = cmp.Or(s.Timeout, 5*time.Minute)
	s.PolicyField = cmp.Or(s.PolicyField, "spec.templateUpdatePolicy")
	s.OnRequest = cmp.Or(s.OnRequest, "OnRequest")
	s.RequestField = cmp.Or(s.RequestField, "spec.templateRevision")
	s.PendingField = cmp.Or(s.PendingField, "status.pendingRevision.templateDigest")
	s.RevisionsField = cmp.Or(s.RevisionsField, "status.revisions")
	s.BackupImageField = cmp.Or(s.BackupImageField, "status.revision.image")
	return s
}

// path splits a field's name as the unstructured helpers take it.
func path(field string) []string { return strings.Split(field, ".") }

const group = "gameplane.local"

var (
	templates = schema.GroupVersionResource{Group: group, Version: "v1alpha1", Resource: "gametemplates"}
	servers   = schema.GroupVersionResource{Group: group, Version: "v1alpha1", Resource: "gameservers"}
	backups   = schema.GroupVersionResource{Group: group, Version: "v1alpha1", Resource: "backups"}
	restores  = schema.GroupVersionResource{Group: group, Version: "v1alpha1", Resource: "restores"}

	statefulSets = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
	pods         = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	claims       = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}

	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)
