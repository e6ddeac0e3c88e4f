package receipts

// ReadUnverified reads a document without looking at its signatures, for showing it to people. Nobody vouches for
// what it says: never decide by it. SignedBy is nil.
func ReadUnverified(raw []byte) (*Document, error) {
	payload, err := UnverifiedPayload(raw)
	if err != nil {
		return nil, err
	}
	s, err := parseStatement(payload)
	if err != nil {
		return nil, err
	}
	d := &Document{Kind: s.PredicateType, Digest: Digest(payload)}
	if err := d.read(s); err != nil {
		return nil, err
	}
	return d, nil
}
