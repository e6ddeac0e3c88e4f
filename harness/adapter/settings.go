package adapter

import (
	"cmp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/GameplanePanel/rehearsal/harness/newerworld"
)

// RunLabel is the label on every object that a Client creates; its value is Settings.Run.
const RunLabel = "rehearsal.gameplane.local/run"

// GameContainer is the container of a server's pod that runs the game.
const GameContainer = "game"

// DefaultRepository is the default Secret of the restic repository for backups.
const DefaultRepository = "restic-repository"

// Settings are what differs between operators. A zero field takes the reference operator's value.
type Settings struct {
	// Run is the value of RunLabel; the namespace by default.
	Run string
	// Labels are on every object that a Client makes, next to RunLabel.
	Labels map[string]string
	// Repository is the Secret of the restic repository, with the keys "repo" and "password": DefaultRepository by
	// default.
	Repository string
	// Pin adopts by the image of one server alone, also if the operator knows adoption on request: to install a revision
	// changes the template, and other servers follow it.
	Pin bool
	// NewerWorld says how a game refuses the world of a newer version, in addition to exit code 3 and the words of
	// vanilla, Paper and Luanti.
	NewerWorld newerworld.Signs
	// Timeout bounds a wait whose context has no deadline: 5 minutes by default.
	Timeout time.Duration

	// PolicyField decides how a server follows its template: "spec.templateUpdatePolicy" by default.
	PolicyField string
	// OnRequest is the policy under which a server waits for a request: "OnRequest" by default.
	OnRequest string
	// RequestField asks a server to run a revision, by its digest: "spec.templateRevision" by default.
	RequestField string
	// PendingField is the revision that a server was offered and has not adopted: "status.pendingRevision.templateDigest"
	// by default.
	PendingField string
	// RevisionsField lists a template's installed revisions, the newest last, each with "digest" and "image":
	// "status.revisions" by default.
	RevisionsField string
	// BackupImageField is the image that a server ran when it was backed up: "status.revision.image" by default.
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

// path splits a field's name for the unstructured helpers.
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
