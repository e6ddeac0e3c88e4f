package adapter

import (
	"regexp"
	"slices"
)

// NewerWorld is how a game says that a newer version wrote its world.
type NewerWorld struct {
	ExitCodes []int            // exit codes that say so
	Patterns  []*regexp.Regexp // a line of what the game printed last that says so
}

// exitNewerWorld is the code of the fixture game.
const exitNewerWorld = 3

// knownWords are what vanilla, Paper and Luanti print where a newer version wrote the world.
var knownWords = regexp.MustCompile(`(?i)this world was created by an incompatible version|` +
	`attempted to load chunk saved with newer version of minecraft|` +
	`mapblock format not supported`)

// says reports whether a game that ended with a code and words refused a newer world.
func (n NewerWorld) says(exitCode int, words string) bool {
	return exitCode == exitNewerWorld || slices.Contains(n.ExitCodes, exitCode) || knownWords.MatchString(words) ||
		slices.ContainsFunc(n.Patterns, func(p *regexp.Regexp) bool { return p.MatchString(words) })
}
