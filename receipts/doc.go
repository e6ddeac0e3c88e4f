// Package receipts is the front door for an operator: it decides on the evidence that a rehearsal of an update leaves.
//
// A receipt is what one rehearsal of one candidate saw. A manifest names all receipts of a run; the harness writes one for
// each architecture. Both are in-toto statements, signed in DSSE envelopes. Decide reads the documents of one or more runs
// and a Policy, and answers whether the candidate may be promoted.
//
// An operator or a gate needs four calls: ParsePolicy (of JSON), TrustOf, ReadInputs and Decide. The directory
// examples/admit holds them as a program. Who needs more calls the packages below:
//
//   - statement: the form of receipts, manifests and the other signed documents
//   - evaluation: what the observations of a receipt show
//   - dsse: envelopes, keys and signatures
//   - attestation: documents that are signed, or verified and read
//   - gate: policies and the decision on documents
//   - journal: the rollout journal, a hash-linked file
//   - rundir: the files of a run
//   - verification: the documents of runs, each alone and all against each other
//   - keyfile: keys in files
//   - printable: text of strangers, made safe for a terminal
//   - refusal: stable codes for whatever is refused
//
// All of them import nothing outside the standard library, do nothing at start-up, print nothing, and never reach for the
// network.
//
// # What is believed
//
// Nothing of a document is read before the signature of a trusted key verifies over its bytes, and what is read are
// exactly these bytes, by one strict parser: members that are unknown, doubled, missing or in another case are refused,
// as is everything beyond the limits on size, depth and count. A key id is a hint; whether a signature counts is decided
// by the key. A verdict is derived anew from the observations, and a receipt that claims another one is refused. A
// document's name, place and order mean nothing. Its identity is its Digest: the signatures around it are not signed.
//
// Decide knows nothing but what it is given. A challenge shows that what counts was made for the question; that a whole
// run made for it, or a whole architecture of one, was kept back, nobody can see. Whoever collects the documents must
// publish all of a run, and a policy should name every architecture.
//
// # Promise
//
// From version 1.0.0 of this module on, these never change within a major version:
//
//   - The predicate types and the policy version. What they name is fixed: members, their meaning, what is required, the
//     limits of the reader, the one byte form of an envelope. A new member, however small, makes a new version
//     (receipt/v2), because readers of the old one must refuse what they do not know.
//   - The checks of a receipt's version: their names, their order, and what makes them hold. A receipt that verified once
//     goes on to verify, and what was refused once goes on to be refused.
//   - Codes: one that exists keeps its meaning. New codes may come.
//   - The vectors in testdata/vectors: none is removed or changed, unless it was wrong and the change log says so.
//   - Default deny: no release makes Decide promote where an earlier one held on the same inputs and policy, unless it
//     mends a fault that the change log names.
//
// These may change at any time: sentences for people (Message, Want, Got, Detail), the order of members in what is
// written, and everything about the files of a run that carries no signature. Readers of a new version read all older
// ones, for at least a year after the next one came.
package receipts
