package adapter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/GameplanePanel/rehearsal/harness/await"
	"github.com/GameplanePanel/rehearsal/harness/redact"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Backup is a finished Backup.
type Backup struct {
	UID      string
	Snapshot string // restic's snapshot ID
	Revision string // digest of the image that the server ran; "" if the operator does not record it
}

// Restore is a finished Restore.
type Restore struct {
	UID      string
	Snapshot string // restic's snapshot ID, from the backup
}

// FailedError says that the operator reported a Backup or Restore as failed.
type FailedError struct {
	Kind, Name string
	Message    string // the operator's, at most 512 bytes; Secret values of server and repository are redacted
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s %s failed: %s", e.Kind, e.Name, e.Message)
}

// Backup copies a server while its save is quiesced, and waits for the end.
func (c *Client) Backup(ctx context.Context, name, server string) (Backup, error) {
	object, err := c.copy(ctx, backups, "Backup", name, server, map[string]any{
		"serverRef": map[string]any{"name": server},
		"repoRef":   map[string]any{"name": c.settings.Repository, "key": "repo"},
		"quiesce":   true,
	}, backupDone)
	if _, late := errors.AsType[*await.TimeoutError](err); late && object != nil && text(object, "status.phase") == "Succeeded" && text(object, "status.snapshotID") == "" {
		return Backup{}, &FailedError{Kind: "Backup", Name: name, Message: "it succeeded without a snapshot ID: see the operator's log"}
	}
	if err != nil {
		return Backup{}, err
	}
	made := Backup{UID: string(object.GetUID()), Snapshot: text(object, "status.snapshotID")}
	if image := text(object, c.settings.BackupImageField); image != "" {
		made.Revision = statement.ImageDigest(image)
	}
	return made, nil
}

// Restore puts a backup back into a server and waits for the end. The operator then starts the server on the revision
// that the server asks for at that time.
func (c *Client) Restore(ctx context.Context, name, backup, server string) (Restore, error) {
	object, err := c.copy(ctx, restores, "Restore", name, server, map[string]any{
		"backupRef": map[string]any{"name": backup},
		"serverRef": map[string]any{"name": server},
	}, func(*unstructured.Unstructured) bool { return true })
	if err != nil {
		return Restore{}, err
	}
	return Restore{UID: string(object.GetUID()), Snapshot: text(object, "status.snapshotID")}, nil
}

// annotationQuiesced is on a Backup for which Gameplane has quiesced the game: "true" until it is resumed and after it.
const annotationQuiesced = "backup.gameplane.local/quiesce-attempted"

// backupDone reports whether a Backup that succeeded is at its end: an operator may learn the snapshot later, and resume
// the game's saves after it.
func backupDone(backup *unstructured.Unstructured) bool {
	if text(backup, "status.snapshotID") == "" {
		return false
	}
	return backup.GetAnnotations()[annotationQuiesced] != "true" || conditionIsTrue(backup, "Unquiesced")
}

func conditionIsTrue(object *unstructured.Unstructured, kind string) bool {
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	return err == nil && slices.ContainsFunc(conditions, func(each any) bool {
		condition, ok := each.(map[string]any)
		return ok && condition["type"] == kind && condition["status"] == "True"
	})
}

// copy creates a Backup or Restore of a server and waits until the operator reports its end, and done agrees.
func (c *Client) copy(ctx context.Context, resource schema.GroupVersionResource, kind, name, server string, spec map[string]any, done func(*unstructured.Unstructured) bool) (*unstructured.Unstructured, error) {
	secrets, err := c.secretsOfCopy(ctx, server, spec)
	if err != nil {
		return nil, err
	}
	created, err := c.create(ctx, resource, kind, name, spec)
	if err != nil {
		return nil, err
	}
	var object *unstructured.Unstructured
	look := func(ctx context.Context) (bool, string, error) {
		object, err = c.get(ctx, resource, name)
		if err != nil {
			return false, "", err
		}
		if object.GetUID() != created.GetUID() {
			return false, "", fmt.Errorf("another object of the same name replaced it: UID %s", object.GetUID())
		}
		phase := text(object, "status.phase")
		message, err := c.message(ctx, object, secrets)
		if err != nil {
			return false, phase, err
		}
		if phase == "Failed" {
			return false, phase, c.copyFailed(ctx, kind, name, secrets, message)
		}
		return phase == "Succeeded" && done(object), fmt.Sprintf("phase %q %s", phase, message), nil
	}
	return object, c.await(ctx, kind+" "+name, look, subject{resource, name})
}

// copyFailed is the failure of a Backup or Restore, with restic's last words where the operator does not repeat them.
func (c *Client) copyFailed(ctx context.Context, kind, name string, secrets []string, message string) error {
	words, err := c.resticWords(ctx, name, secrets)
	if err != nil {
		return err
	}
	if words != "" && !strings.Contains(message, words) {
		message = strings.TrimSpace(message + ": " + words)
	}
	return &FailedError{Kind: kind, Name: name, Message: statement.Excerpt(message)}
}

// message returns the status message of a Backup or Restore without Secret values: it may quote restic's output.
func (c *Client) message(ctx context.Context, object *unstructured.Unstructured, secrets []string) (string, error) {
	message := text(object, "status.message")
	if message == "" {
		return "", nil
	}
	values, err := c.valuesOf(ctx, secrets)
	return statement.Excerpt(redact.Text(message, values)), err
}
