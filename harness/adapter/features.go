package adapter

import (
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/GameplanePanel/rehearsal/harness/crdschema"
)

// ErrNoOperator says that the cluster does not serve Gameplane's resources.
var ErrNoOperator = errors.New("the cluster has no CRD gameservers.gameplane.local: install the operator first")

// annotationDefect is an annotation on the operator's CRD. An operator with injected defects lists them there as
// DEFECT@NAMESPACE/NAME, separated by commas.
const annotationDefect = "rehearsal.gameplane.local/defect"

// Features is what an operator can do, according to its schemas.
type Features struct {
	// OnRequest: a server adopts a revision only when it is asked to.
	OnRequest bool
	// Pending: a server reports the revision that it was offered.
	Pending bool
	// Revisions: a template lists its installed revisions.
	Revisions bool
	// ExtraClaims: a backup lists its claims, so it covers extra claims too.
	ExtraClaims bool
	// BackupRevision: a backup records the revision that the server ran.
	BackupRevision bool
	// Defects are the injected defects that apply to the client's namespace.
	Defects []string
}

// Names lists the features for a receipt, sorted. It includes each defect as "defect=DEFECT@…".
func (f Features) Names() []string {
	var names []string
	for name, has := range map[string]bool{
		"on-request":      f.OnRequest,
		"pending":         f.Pending,
		"revisions":       f.Revisions,
		"extra-claims":    f.ExtraClaims,
		"backup-revision": f.BackupRevision,
	} {
		if has {
			names = append(names, name)
		}
	}
	for _, defect := range f.Defects {
		names = append(names, "defect="+defect)
	}
	slices.Sort(names)
	return names
}

// Features reads the operator's features from the CRDs that the cluster serves. It returns ErrNoOperator if there are
// none.
func (c *Client) Features(ctx context.Context) (Features, error) {
	schemas := map[string]*unstructured.Unstructured{}
	for _, kind := range []string{"gameservers", "gametemplates", "backups"} {
		definition, err := c.get(ctx, definitions, kind+"."+group)
		if apierrors.IsNotFound(err) {
			return Features{}, ErrNoOperator
		}
		if err != nil {
			return Features{}, err
		}
		schemas[kind] = definition
	}
	s := c.settings
	return Features{
		OnRequest:      crdschema.Offers(schemas["gameservers"], s.PolicyField, s.OnRequest) && crdschema.Serves(schemas["gameservers"], s.RequestField),
		Pending:        crdschema.Serves(schemas["gameservers"], s.PendingField),
		Revisions:      crdschema.Serves(schemas["gametemplates"], s.RevisionsField),
		ExtraClaims:    crdschema.Serves(schemas["backups"], "status.claims"),
		BackupRevision: crdschema.Serves(schemas["backups"], s.BackupImageField),
		Defects:        c.defects(schemas["gameservers"].GetAnnotations()[annotationDefect]),
	}, nil
}

// defects returns the defects that apply to the client's namespace. One without a clear namespace applies everywhere.
func (c *Client) defects(annotation string) []string {
	var own []string
	for defect := range strings.SplitSeq(annotation, ",") {
		_, object, _ := strings.Cut(defect, "@")
		namespace, _, named := strings.Cut(object, "/")
		if defect != "" && (!named || namespace == c.namespace || strings.ContainsAny(namespace, `*?[\`)) {
			own = append(own, defect)
		}
	}
	return own
}
