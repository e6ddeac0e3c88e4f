package attestation

import (
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// ReadUnverified reads a document without verifying its signatures, to show it to people. Nobody vouches for its content:
// never decide on it. SignedBy is nil.
func ReadUnverified(raw []byte) (*Document, error) {
	payload, err := dsse.UnverifiedPayload(raw)
	if err != nil {
		return nil, err
	}
	s, err := statement.Parse(payload)
	if err != nil {
		return nil, err
	}
	d := &Document{Kind: s.PredicateType, Digest: statement.Digest(payload)}
	if err := d.read(s); err != nil {
		return nil, err
	}
	return d, nil
}
