package scenarios

import "fmt"

// Game is a build of the fixture game. Its identity is fixed when it is built, so each has a digest of its own.
type Game struct {
	Name  string // what people call it
	ID    string // the game: see fixtures/gameserver
	Build string // label of the build
	Mode  string // how it behaves
}

// ldflags fix the identity of a build.
func (g Game) ldflags() string {
	return fmt.Sprintf("-X main.gameID=%s -X main.buildLabel=%s -X main.mode=%s", g.ID, g.Build, g.Mode)
}

// The fixture games that the scenarios use.
var (
	Baseline    = Game{Name: "1.20.2", ID: "A", Build: "1", Mode: "ok"}
	NewBuild    = Game{Name: "1.20.2 build 2", ID: "A", Build: "2", Mode: "ok"}
	NewFormat   = Game{Name: "1.21.1", ID: "B", Build: "1", Mode: "ok"}
	HTTPOnly    = Game{Name: "1.20.2 http-only", ID: "A", Build: "2", Mode: "http-only"}
	LosesExtra  = Game{Name: "1.20.2 loses-extra", ID: "A", Build: "2", Mode: "loses-extra"}
	LosesChunks = Game{Name: "1.20.2 loses-chunks", ID: "A", Build: "2", Mode: "loses-chunks"}
	// Unpullable is never built: its digest is that of nothing in the registry.
	Unpullable = Game{Name: "unpullable"}
)
