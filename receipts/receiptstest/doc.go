// Package receiptstest makes receipts, run manifests and keys for tests of gates, of operators that admit updates on
// receipts, and of the receipts packages themselves.
//
// All values are made up, and are the same on every call. The keys are derived from their names: never trust them outside
// of a test.
package receiptstest
