package attestation

import (
	"cmp"
	"crypto"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// SignReceipt completes a receipt and signs it. It returns the envelope and the receipt's digest. The error is a
// *refusal.Error if the receipt exceeds the limits of its readers, such as 64 KiB for a string.
func SignReceipt(r statement.Receipt, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	r = evaluation.Complete(r)
	return Sign(statement.ReceiptType, r.Subjects(), r, signers)
}

// Sign signs a statement after it has checked that the statement can be read back: an error is better than unreadable
// evidence. It returns the envelope and the digest.
func Sign(predicateType string, subjects []statement.Subject, predicate any, signers []crypto.Signer) ([]byte, string, error) {
	payload, err := statement.Marshal(predicateType, subjects, predicate)
	if err != nil {
		return nil, "", err
	}
	s, err := statement.Parse(payload)
	if err != nil {
		return nil, "", err
	}
	if err := new(Document).read(s); err != nil {
		return nil, "", err
	}
	raw, err := dsse.Seal(payload, signers...)
	if err != nil {
		return nil, "", err
	}
	return raw, statement.Digest(payload), nil
}

// SignManifest sorts the cells of a manifest and signs it. It returns the envelope and the manifest's digest. It refuses a
// manifest that contradicts itself with refusal.ManifestInvalid.
func SignManifest(m statement.Manifest, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	m = strictjson.Normalized(m)
	slices.SortFunc(m.Cells, func(a, b statement.Cell) int {
		return cmp.Or(cmp.Compare(a.Architecture, b.Architecture), cmp.Compare(a.Scenario, b.Scenario))
	})
	if err := m.Validate(); err != nil {
		return nil, "", err
	}
	return Sign(statement.ManifestType, m.Subjects(), m, signers)
}

// SignOverride signs an override. It returns the envelope and the override's digest. It refuses an override without
// bounds, or one that waives what cannot be waived, with refusal.OverrideInvalid.
func SignOverride(o statement.Override, signers ...crypto.Signer) (raw []byte, digest string, err error) {
	o = strictjson.Normalized(o)
	if err := o.Validate(); err != nil {
		return nil, "", err
	}
	return Sign(statement.OverrideType, o.Subjects(), o, signers)
}
