package receipts

// ReadUnverified reads a document without looking at its signatures, for showing it to people. Nobody vouches for
// what it says: never decide by it. SignedBy is nil.
func ReadUnverified(raw []byte) (*Document, error) {
	e, err := parseEnvelope(raw, nil)
	if err != nil {
		return nil, err
	}
	if e.payloadType != PayloadType {
		return nil, refuse(CodePayloadType, "%q, want %q", e.payloadType, PayloadType)
	}
	s, err := parseStatement(e.payload)
	if err != nil {
		return nil, err
	}
	d := &Document{Kind: s.PredicateType, Digest: Digest(e.payload)}
	if err := d.read(s); err != nil {
		return nil, err
	}
	return d, nil
}
