package runconfig

import (
	"cmp"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Defaults of keys that a configuration leaves out.
const (
	DefaultOperatorNamespace  = "gameplane-system"
	DefaultOperatorDeployment = "gameplane-operator"

	DefaultPolicyField      = "spec.templateUpdatePolicy"
	DefaultRequestField     = "spec.templateRevision"
	DefaultPendingField     = "status.pendingRevision.templateDigest"
	DefaultRevisionsField   = "status.revisions"
	DefaultBackupImageField = "status.revision.image"

	DefaultClient = "minecraft"
	DefaultPort   = 25565
	DefaultPlayer = "rehearsal"

	DefaultStart = Duration(2 * time.Minute)
	DefaultJoin  = Duration(20 * time.Second)
	DefaultHold  = Duration(2 * time.Second)
	DefaultCopy  = Duration(3 * time.Minute)

	DefaultOut = "runs"
)

// Egress of the copies of a server.
const (
	EgressClosed = "closed" // inside the namespace, the cluster's DNS and API server
	EgressOpen   = "open"
)

// DefaultControls are the bad images that a run plays where a configuration names none.
func DefaultControls() []string {
	return []string{statement.ScenarioUnpullable, statement.ScenarioHTTPOnly}
}

// complete fills in the defaults.
func (c *Config) complete() {
	c.Operator.complete()
	setDefault(&c.Cluster.Egress, EgressClosed)
	setDefault(&c.Game.Client, DefaultClient)
	setDefault(&c.Game.Port, DefaultPort)
	setDefault(&c.Game.Player, DefaultPlayer)
	setDefault(&c.Limits.Start, DefaultStart)
	setDefault(&c.Limits.Join, DefaultJoin)
	setDefault(&c.Limits.Hold, DefaultHold)
	setDefault(&c.Limits.Copy, DefaultCopy)
	setDefault(&c.Images.Push, c.Images.Registry)
	setDefault(&c.Out, DefaultOut)
	if c.Controls == nil { // an empty list asks for no control
		c.Controls = DefaultControls()
	}
}

func (o *Operator) complete() {
	setDefault(&o.Namespace, DefaultOperatorNamespace)
	setDefault(&o.Deployment, DefaultOperatorDeployment)
	setDefault(&o.Fields.Policy, DefaultPolicyField)
	setDefault(&o.Fields.Request, DefaultRequestField)
	setDefault(&o.Fields.Pending, DefaultPendingField)
	setDefault(&o.Fields.Revisions, DefaultRevisionsField)
	setDefault(&o.Fields.BackupImage, DefaultBackupImageField)
}

func setDefault[T comparable](value *T, otherwise T) {
	*value = cmp.Or(*value, otherwise)
}
