// Package receipts is the entry point for an operator: it decides on the evidence of a rehearsed update.
//
// A receipt records what one rehearsal of one candidate observed. A manifest names all receipts of a run; the harness
// writes one manifest for each architecture. Both are in-toto statements in signed DSSE envelopes. Decide reads the
// documents of one or more runs and a Policy, and answers whether the candidate may be promoted.
//
// An operator or a gate needs four calls: ParsePolicy (for JSON), TrustOf, ReadInputs and Decide. The directory
// examples/admit has a program with these calls. For anything else use the packages below:
//
//   - statement: the form of receipts, manifests and the other signed documents
//   - evaluation: what the observations of a receipt show
//   - dsse: envelopes, keys and signatures
//   - attestation: signs, verifies and reads documents
//   - gate: policies and decisions
//   - journal: the rollout journal, a hash-linked file
//   - rundir: the files of a run
//   - verification: the documents of runs, each alone and all against each other
//   - keyfile: keys in files
//   - printable: text of strangers, made safe for a terminal
//   - refusal: stable codes of refused documents and held promotions
//
// The packages import the standard library alone. They do nothing at start-up, print nothing, and use no network.
//
// # What a gate believes
//
// A gate reads nothing of a document before the signature of a trusted key verifies over its bytes, and it reads exactly
// the bytes that it verified. One strict parser refuses members that are unknown, duplicate, missing or in another case,
// and everything beyond the limits on size, depth and count. A key id is a hint: only the key itself makes a signature
// count. The gate evaluates the observations of a receipt again, and refuses a receipt that claims another verdict. The
// name, the path and the order of documents have no influence. The identity of a document is its digest, which does not
// cover the signatures.
//
// Decide knows only its inputs. A challenge shows that a run was made for the question. Nobody can notice that a whole
// run, or all of it on one architecture, was withheld. Whoever collects the documents must publish all of a run, and a
// policy should name every architecture.
//
// # Compatibility
//
// From version 1.0.0 of this module on, these never change within a major version:
//
//   - The predicate types and the policy version, and what they define: the members, what they say, which ones are
//     required, the limits of the reader, and the one byte form of an envelope. Every new member makes a new version
//     (receipt/v2), because readers of the old one must refuse what they do not know.
//   - The checks of a receipt version: their names, their order, and when they hold. A receipt that verified once always
//     verifies, and a document that was refused once is always refused.
//   - Codes: an existing code always says the same. New codes may come.
//   - The vectors in testdata/vectors: none is removed or changed, unless it was wrong and the change log says so.
//   - Default deny: no release makes Decide promote if an earlier one held on the same inputs and policy, unless the
//     change fixes a fault that the change log names.
//
// These may change at any time: sentences for people (Message, Want, Got, Detail), the order of members in encoded
// documents, and the unsigned files of a run. Readers of a new version read all older versions, for at least a year after
// the next version was released.
package receipts
