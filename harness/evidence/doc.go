// Package evidence collects the observations in a receipt: which pods a server had over time, what its claims hold, and
// how far a player got. It observes; it decides nothing.
package evidence
