// Package join visits a game server as a player does and says how far the player got.
//
// A container that is ready is not a game that people can play. A probe's result therefore rests on what only the
// game itself can have sent: the player's id, the world's blocks, the confirmation of an edit. Games register
// themselves (see Register); import the package of a game to have it, as with image formats.
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
	Nothing Depth = ""        // not even the status was answered
	Query   Depth = "QUERY"   // the status was answered
	Partial Depth = "PARTIAL" // the login was begun: the server answered it with something else than a refusal
	Joined  Depth = "JOINED"  // in play: the server put the player into its world
	Held    Depth = "HELD"    // stayed, answered keep-alives, edited the world; the server confirmed the edit
)

// Depths holds every depth, the least first.
var Depths = []Depth{Nothing, Query, Partial, Joined, Held}

// AtLeast says whether d is as deep as want, or deeper. Of a depth that there is not, nothing is.
func (d Depth) AtLeast(want Depth) bool {
	least := slices.Index(Depths, want)
	return least >= 0 && slices.Index(Depths, d) >= least
}

// Class is a stable word for the way in which a visit ended.
type Class string

const (
	ClassOK          Class = "ok"             // nothing went wrong
	ClassConnect     Class = "connect"        // no connection: refused, unreachable, unknown host
	ClassNoAnswer    Class = "no-answer"      // connected, and the peer stayed silent until the deadline
	ClassHTTP        Class = "http"           // the peer is an HTTP server
	ClassNotGame     Class = "not-a-game"     // the peer speaks something else: see FirstBytes
	ClassClosed      Class = "closed"         // the peer closed the connection before the player was in play
	ClassProtocol    Class = "wrong-protocol" // the game speaks a version that the player does not
	ClassRefused     Class = "refused"        // the game refused the login
	ClassOnlineMode  Class = "online-mode"    // the game wants an account of the vendor's
	ClassMalformed   Class = "malformed"      // the game broke its own protocol or the probe's limits
	ClassTimeout     Class = "timeout"        // the game stopped answering on the way in
	ClassKicked      Class = "kicked"         // the game threw the player out
	ClassLost        Class = "lost"           // the connection broke while in play
	ClassNoWorld     Class = "no-world"       // in play, and the part of the world that holds the marker never came
	ClassMarkerLost  Class = "marker-lost"    // in play, and the world does not hold the marker that it must
	ClassTraceLost   Class = "trace-lost"     // in play, and what an earlier visit left is gone
	ClassEditRefused Class = "edit-refused"   // the game did not confirm the player's edit
	ClassNotSaved    Class = "not-saved"      // the game did not confirm that it saved
	ClassInterrupted Class = "interrupted"    // the caller's context ended
	ClassInternal    Class = "internal"       // a fault of the probe itself
)

// Options says what a player does. The zero value looks at the world and leaves.
type Options struct {
	Game     string        // "minecraft" by default
	Name     string        // of the player; "rehearsal" by default
	Deadline time.Duration // for the whole visit without Hold; 15 s by default
	Stage    time.Duration // for each stage of it; 5 s by default
	Hold     time.Duration // time to stay in play before the edit; none by default
	Protocol int           // of the player's game; 0 takes the one that the server's status names

	SetMarker string // marker to leave in the world: 16 lower-case hexadecimal digits, "" for none
	Edit      bool   // leave a random trace, which the next visit reads: see Result.Left

	WantMarker string // marker that the world must hold, "" for any
	WantTrace  string // trace that the world must hold, "" for any

	RCON *rcon.Target // where to have the game save once the edit is confirmed; nil to leave that out

	Progress func(stage, detail string) // called as the visit goes on; nil for silence
}

// Result is what a visit came to. Depth and Class tell how far and why no further; Evidence is for people.
type Result struct {
	Depth    Depth  `json:"depth"`
	Class    Class  `json:"class"`
	Stage    string `json:"stage"` // the last stage begun
	Evidence string `json:"evidence"`

	Protocol   int    `json:"protocol,omitempty"` // as the server's status names it
	Version    string `json:"version,omitempty"`  // likewise; the server's own words
	Player     string `json:"player,omitempty"`   // UUID that the server gave
	Marker     string `json:"marker,omitempty"`   // in the world at the end of the visit
	Found      string `json:"found,omitempty"`    // trace of an earlier visit, as the world held it on arrival
	Left       string `json:"left,omitempty"`     // trace of this visit
	KeepAlives int    `json:"keepAlives"`         // answered
	Saved      bool   `json:"saved"`              // the game said over RCON that it saved

	HTTP       string `json:"http,omitempty"`       // body served over HTTP on the game's port, cut to 512 bytes
	FirstBytes string `json:"firstBytes,omitempty"` // of an answer that is none of the game's, quoted

	Millis int64   `json:"millis,string"` // of the whole visit
	Stages []Stage `json:"stages"`
}

// Stage is one part of a visit.
type Stage struct {
	Name   string  `json:"name"`
	Millis float64 `json:"millis"`
}

// Game joins servers of one game.
type Game interface {
	// Name is the word for Options.Game.
	Name() string
	// Probe visits the server at address. It returns within the deadlines of its options, which are complete
	// and valid, whatever the peer does. Millis is filled in by the caller.
	Probe(ctx context.Context, address string, options Options) Result
}

var (
	gamesMu sync.RWMutex
	games   = map[string]Game{}
)

// Register makes a game known to Probe. It is meant for the init function of the game's package, and panics on a
// second game of the same name.
func Register(game Game) {
	gamesMu.Lock()
	defer gamesMu.Unlock()
	if _, taken := games[game.Name()]; taken {
		panic(fmt.Sprintf("join: game %q registered twice", game.Name()))
	}
	games[game.Name()] = game
}

// Probe visits the server at address (host or host:port). It always returns a result, within the deadlines of the
// options, and never an error: that a server lets nobody in is a result.
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

// Reached says whether the visit came to a depth, with nothing wrong on the way: a player who was let in and whose
// world is lost, or who was thrown out, did not get where players want to be.
func (r Result) Reached(want Depth) bool {
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
