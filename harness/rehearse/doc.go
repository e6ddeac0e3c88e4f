// Package rehearse is the engine. It plays the update of one server on a restored clone, observes the clone at every
// checkpoint, and writes a signed receipt, even if a step fails or somebody stops the process.
//
// A Fleet exists before any rehearsal: two members that run the baseline, a player's marker in the world of one of them,
// and a backup of that member. Any number of rehearsals may then run at the same time, each on its own clone:
//
//	before → candidate → rollback → restored
//
// The engine restores the backup only if the rollback fails. It does not evaluate what it observes: evaluation.Of derives
// the checks, the verdict and the disposition.
package rehearse
