// Package receiptstest makes receipts, run manifests and keys for tests: of gates, of operators that admit on
// receipts, and of the receipts package itself.
//
// Everything is made up, and the same on every call. The keys are made from their names: they must never be trusted
// outside a test.
package receiptstest
