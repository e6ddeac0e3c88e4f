// Package join joins a game server as a player does and reports how far the player got.
//
// A ready container is not a game that people can play. A probe's result therefore relies only on data that the game
// itself must have sent: the player's ID, the world's blocks, the confirmation of an edit. Games register themselves
// (see Register): import a game's package to use it, as with image formats.
package join

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/GameplanePanel/rehearsal/harness/rcon"
)

// Depth is how far a player got. Depths are ordered: see AtLeast.
type Depth string

const (
	Nothing Depth = ""        // no answer, not even a status
	Query   Depth = "QUERY"   // the status was answered
	Partial Depth = "PARTIAL" // login begun: the server answered, but not with a refusal
	Joined  Depth = "JOINED"  // in play: the server put the player into its world
	Held    Depth = "HELD"    // stayed, answered keep-alives, edited the world; the server confirmed the edit
)

// Depths holds every depth in ascending order.
var Depths = []Depth{Nothing, Query, Partial, Joined, Held}

// AtLeast reports whether d is as deep as want, or deeper. It is false if either depth is unknown.
func (d Depth) AtLeast(want Depth) bool {
	least := slices.Index(Depths, want)
	return least >= 0 && slices.Index(Depths, d) >= least
}

// Class is a stable word for the outcome of a session.
type Class string

const (
	ClassOK          Class = "ok"             // nothing went wrong
	ClassConnect     Class = "connect"        // no connection: refused, unreachable, unknown host
	ClassNoAnswer    Class = "no-answer"      // connected, but the peer stayed silent until the deadline
	ClassHTTP        Class = "http"           // the peer is an HTTP server
	ClassNotGame     Class = "not-a-game"     // the peer speaks something else: see FirstBytes
	ClassClosed      Class = "closed"         // the peer closed the connection before the player was in play
	ClassProtocol    Class = "wrong-protocol" // the game speaks a version that the player does not
	ClassRefused     Class = "refused"        // the game refused the login
	ClassOnlineMode  Class = "online-mode"    // the game requires a vendor account
	ClassMalformed   Class = "malformed"      // the game broke its own protocol or the probe's limits
	ClassTimeout     Class = "timeout"        // the game stopped answering before the player was in play
	ClassKicked      Class = "kicked"         // the game kicked the player
	ClassLost        Class = "lost"           // the connection broke while in play
	ClassNoWorld     Class = "no-world"       // in play, but the part of the world with the marker never came
	ClassMarkerLost  Class = "marker-lost"    // in play, but the world does not have the wanted marker
	ClassTraceLost   Class = "trace-lost"     // in play, but the trace of an earlier session is gone
	ClassEditRefused Class = "edit-refused"   // the game did not confirm the player's edit
	ClassNotSaved    Class = "not-saved"      // the game did not confirm that it saved
	ClassInterrupted Class = "interrupted"    // the caller's context ended
	ClassInternal    Class = "internal"       // a fault of the probe itself
)

// Options describes what a player does. With the zero value the player looks at the world and leaves.
type Options struct {
	Game     string        // "minecraft" by default
	Name     string        // of the player; "rehearsal" by default
	Deadline time.Duration // for the whole session without Hold; 15 s by default
	Stage    time.Duration // for each stage of the session; 5 s by default
	Hold     time.Duration // time to stay in play before the edit; none by default
	Protocol int           // of the player's game; 0 takes the one that the server's status names

	SetMarker string // marker to leave in the world: 16 lower-case hexadecimal digits, "" for none
	Edit      bool   // leave a random trace for the next session to read: see Result.Left

	WantMarker string // marker that the world must hold, "" for any
	WantTrace  string // trace that the world must hold, "" for any

	RCON *rcon.Target // console to save through once the edit is confirmed; nil for no save

	Progress func(stage, detail string) // called during the session; nil for silence
}

// Result is the outcome of a session. Depth says how far the player got and Class why no further; Evidence is for
// people.
type Result struct {
	Depth    Depth  `json:"depth"`
	Class    Class  `json:"class"`
	Stage    string `json:"stage"` // the last stage begun
	Evidence string `json:"evidence"`

	Protocol   int    `json:"protocol,omitempty"` // as the server's status names it
	Version    string `json:"version,omitempty"`  // likewise; the server's own text
	Player     string `json:"player,omitempty"`   // UUID from the server
	Marker     string `json:"marker,omitempty"`   // in the world at the end of the session
	Found      string `json:"found,omitempty"`    // trace of an earlier session, in the world on arrival
	Left       string `json:"left,omitempty"`     // trace of this session
	KeepAlives int    `json:"keepAlives"`         // answered
	Saved      bool   `json:"saved"`              // the game confirmed a save over RCON

	HTTP       string `json:"http,omitempty"`       // body served over HTTP on the game's port, cut to 512 bytes
	FirstBytes string `json:"firstBytes,omitempty"` // of an answer that is not the game's protocol, quoted

	Millis int64   `json:"millis,string"` // of the whole session
	Stages []Stage `json:"stages"`
}

// Stage is one part of a session.
type Stage struct {
	Name   string  `json:"name"`
	Millis float64 `json:"millis"`
}

// Game joins servers of one game.
type Game interface {
	// Name is the value of Options.Game.
	Name() string
	// Probe joins the server at address. The options are complete and valid. Probe returns within their deadlines,
	// whatever the peer does. The caller fills in Millis.
	Probe(ctx context.Context, address string, options Options) Result
}

var (
	gamesMu sync.RWMutex
	games   = map[string]Game{}
)

// Register makes a game available to Probe. Call it in the init function of the game's package. It panics on a second
// game of the same name.
func Register(game Game) {
	gamesMu.Lock()
	defer gamesMu.Unlock()
	if _, taken := games[game.Name()]; taken {
		panic(fmt.Sprintf("join: game %q registered twice", game.Name()))
	}
	games[game.Name()] = game
}

// Probe joins the server at address (host or host:port). It always returns a result within the deadlines of the
// options, and never an error: a server that lets nobody in is a result.
func Probe(ctx context.Context, address string, options Options) Result {
	start := time.Now()
	result := probe(ctx, address, options)
	result.Millis = time.Since(start).Milliseconds()
	if result.Stages == nil {
		result.Stages = []Stage{}
	}
	return result
}

func probe(ctx context.Context, address string, options Options) Result {
	options, err := options.complete()
	if err != nil {
		return Result{Class: ClassInternal, Stage: "options", Evidence: err.Error()}
	}
	gamesMu.RLock()
	game := games[options.Game]
	gamesMu.RUnlock()
	if game == nil {
		return Result{Class: ClassInternal, Stage: "options", Evidence: fmt.Sprintf("no game named %q", options.Game)}
	}
	return game.Probe(ctx, address, options)
}

// AtLeast reports whether the session reached a depth without any failure: a player who was let in but whose world is
// lost, or who was kicked, did not get where players want to be.
func (r Result) AtLeast(want Depth) bool {
	switch {
	case !r.Depth.AtLeast(want):
		return false
	case r.Class == ClassOK:
		return true
	case want == Joined:
		return r.Class == ClassEditRefused
	case want == Held:
		return false
	}
	switch r.Class {
	case ClassMarkerLost, ClassTraceLost, ClassNotSaved, ClassInternal, ClassInterrupted:
		return false
	}
	return true
}
