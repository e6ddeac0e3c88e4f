package adapter

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Adopt asks one server to run a revision: by a request where the operator supports one, otherwise by pinning the
// image. It does not wait: see AwaitRunning.
func (c *Client) Adopt(ctx context.Context, server string, revision Revision) error {
	features, err := c.Features(ctx)
	if err != nil {
		return err
	}
	return c.patch(ctx, servers, server, c.adoption(features, revision))
}

// adoption returns the fields that make a server run a revision.
func (c *Client) adoption(features Features, revision Revision) map[string]any {
	if !c.byRequest(features) {
		return map[string]any{"spec.image": revision.Image}
	}
	// A pin would win over the revision.
	return map[string]any{c.settings.RequestField: revision.TemplateDigest, "spec.image": nil}
}

// byRequest reports whether servers are asked to adopt a revision, and not pinned to its image.
func (c *Client) byRequest(features Features) bool { return features.OnRequest && !c.settings.Pin }

// Adoption returns the lever by which Adopt works: "OnRequest" or "ImagePin".
func (c *Client) Adoption(features Features) string {
	if c.byRequest(features) {
		return "OnRequest"
	}
	return "ImagePin"
}

// Pending returns the digest of the revision that the server was offered and did not adopt, or "".
func (c *Client) Pending(ctx context.Context, server string) (string, error) {
	object, err := c.get(ctx, servers, server)
	if err != nil {
		return "", err
	}
	return text(object, c.settings.PendingField), nil
}

// AwaitPending waits until the server's status offers a revision, and returns whether it did. If the operator does not
// report offers, AwaitPending returns false at once, without an error.
func (c *Client) AwaitPending(ctx context.Context, server, revision string) (observed bool, err error) {
	features, err := c.Features(ctx)
	if err != nil || !features.Pending || c.settings.Pin {
		return false, err
	}
	look := func(ctx context.Context) (bool, string, error) {
		pending, err := c.Pending(ctx, server)
		return pending == revision, "offered " + strconv.Quote(pending), err
	}
	err = c.await(ctx, "server "+server+" to be offered "+revision, look, subject{servers, server})
	return err == nil, err
}

func setField(object map[string]any, field string, value any) error {
	if value == nil || value == "" {
		return nil
	}
	if err := unstructured.SetNestedField(object, value, path(field)...); err != nil {
		return fmt.Errorf("field %s: %w", field, err)
	}
	return nil
}
