// Package minecraft joins Minecraft servers (Java edition, protocols 764 to 775). Importing it makes the game
// known to package join.
package minecraft

import (
	"context"

	"github.com/GameplanePanel/rehearsal/harness/join"
)

func init() { join.Register(game{}) }

type game struct{}

func (game) Name() string { return "minecraft" }

// Probe runs the stages of a player's session until one fails or all are done. Each has its own deadline.
func (game) Probe(ctx context.Context, address string, options join.Options) join.Result {
	s := &session{ctx: ctx, options: options}
	defer s.close()
	s.begin(address)
	return s.result
}
