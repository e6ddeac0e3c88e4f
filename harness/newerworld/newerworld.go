// Package newerworld recognises how games say that a newer version wrote their world.
package newerworld

import (
	"regexp"
	"slices"
)

// Signs are how a game says so. The zero value holds what is known: exit code 3, and the words of vanilla, Paper and Luanti.
type Signs struct {
	ExitCodes []int            // exit codes that say so
	Patterns  []*regexp.Regexp // a line of what the game printed last that says so
}

// exitNewerWorld is the code of the fixture game.
const exitNewerWorld = 3

// knownWords are what vanilla, Paper and Luanti print where a newer version wrote the world.
var knownWords = regexp.MustCompile(`(?i)this world was created by an incompatible version|` +
	`attempted to load chunk saved with newer version of minecraft|` +
	`mapblock format not supported`)

// In reports whether a game that ended with a code and words refused a newer world.
func (s Signs) In(exitCode int, words string) bool {
	return exitCode == exitNewerWorld || slices.Contains(s.ExitCodes, exitCode) || knownWords.MatchString(words) ||
		slices.ContainsFunc(s.Patterns, func(p *regexp.Regexp) bool { return p.MatchString(words) })
}
