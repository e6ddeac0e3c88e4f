package receipts

import (
	"crypto"
	"encoding/base64"
	"fmt"
	"slices"
)

// PayloadType is the DSSE payload type of every document of this package: an in-toto statement.
const PayloadType = "application/vnd.in-toto+json"

// MaxEnvelope is the size in bytes above which an envelope is refused unread.
const MaxEnvelope = 8 << 20

// PAE is DSSE's pre-authentication encoding: the bytes that are signed.
func PAE(payloadType string, payload []byte) []byte {
	return append(paeHead(payloadType, len(payload)), payload...)
}

// paeHead is what PAE puts in front of a payload of some length.
func paeHead(payloadType string, length int) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(payloadType), payloadType, length)
}

// seal signs a payload and returns the envelope in its one byte form.
func seal(payload []byte, signers ...crypto.Signer) ([]byte, error) {
	e := envelope{payloadType: PayloadType, payload: payload}
	if err := e.sign(signers); err != nil {
		return nil, err
	}
	return e.bytes(), nil
}

func (e *envelope) sign(signers []crypto.Signer) error {
	message := PAE(e.payloadType, e.payload)
	for _, signer := range signers {
		key, err := NewKey(signer.Public())
		if err != nil {
			return err
		}
		sig, err := signWith(signer, message)
		if err != nil {
			return fmt.Errorf("sign with key %s: %w", key.ID(), err)
		}
		e.signatures = append(e.signatures, signature{keyID: key.ID(), sig: base64.StdEncoding.EncodeToString(sig)})
	}
	return nil
}

// Countersign adds signatures to an envelope, for policies that want several keys. It does not check the ones
// that are there.
func Countersign(raw []byte, signers ...crypto.Signer) ([]byte, error) {
	e, err := parseEnvelope(raw)
	if err != nil {
		return nil, err
	}
	if err := e.sign(signers); err != nil {
		return nil, err
	}
	return e.bytes(), nil
}

// verifyEnvelope reads an envelope and returns its payload and the distinct keys, at least threshold of them, whose
// signatures verify. A signature that is bad or by a key that is not given counts as absent.
func verifyEnvelope(raw []byte, keys []Key, threshold int) ([]byte, []Key, error) {
	e, err := parseEnvelope(raw)
	if err != nil {
		return nil, nil, err
	}
	if len(e.signatures) == 0 {
		return nil, nil, refuse(CodeNoSignature, "the envelope is not signed")
	}
	signedBy := e.signedBy(keys)
	if len(signedBy) == 0 {
		return nil, nil, refuse(CodeSignatureInvalid, "no signature by a trusted key verifies")
	}
	if len(signedBy) < threshold {
		return nil, nil, refuse(CodeThreshold, "%d trusted keys signed, want %d", len(signedBy), threshold)
	}
	// Only now: an attacker learns nothing from a type that nobody signed.
	if e.payloadType != PayloadType {
		return nil, nil, refuse(CodePayloadType, "%q, want %q", e.payloadType, PayloadType)
	}
	return e.payload, signedBy, nil
}

// signedBy returns the keys with a good signature, each once. A key id that is given saves trying the other keys;
// it never makes a signature count.
func (e *envelope) signedBy(keys []Key) []Key {
	var signedBy []Key
	for _, key := range keys {
		if slices.ContainsFunc(signedBy, func(k Key) bool { return k.id == key.id }) {
			continue
		}
		if slices.ContainsFunc(e.signatures, func(s signature) bool { return s.by(key, e) }) {
			signedBy = append(signedBy, key)
		}
	}
	return signedBy
}

func (s signature) by(key Key, e *envelope) bool {
	if s.keyID != "" && s.keyID != key.id {
		return false
	}
	sig, err := unbase64(base64.StdEncoding, []byte(s.sig))
	return err == nil && key.verify(e.payloadType, e.payload, sig)
}
