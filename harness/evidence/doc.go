// Package evidence collects what a receipt states: which pods a server had for the whole time, what its claims
// hold, and how far a player got. It observes; it decides nothing.
package evidence
