// Package rehearse is the engine: it plays the update of one server through on a restored clone, observes it at
// every checkpoint, and leaves a signed receipt, also when a step fails or the process is told to stop.
//
// A Fleet is what stands before any candidate is played: two members that run the baseline, a player's marker in
// the world of one, and a backup of it. From there any number of rehearsals may run at the same time, each on a
// clone of its own:
//
//	before → candidate → rollback → restored
//
// The last step is taken only where the data of the third cannot be read any more. What the steps mean is not
// decided here: receipts.Evaluate derives checks, verdict and disposition from what was observed.
package rehearse
