package adapter

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/GameplanePanel/rehearsal/harness/await"
)

// subject is an object that a wait watches.
type subject struct {
	resource schema.GroupVersionResource
	name     string
}

// await looks until look is done or the context ends. A context without a deadline gets Settings.Timeout.
func (c *Client) await(ctx context.Context, what string, look await.Look, subjects ...subject) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.settings.Timeout)
		defer cancel()
	}
	var watched []await.Subject
	for _, s := range subjects {
		watched = append(watched, await.Subject{Resource: c.of(s.resource), Name: s.name})
	}
	return await.Until(ctx, what, look, watched...)
}
