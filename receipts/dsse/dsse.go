// Package dsse signs and verifies DSSE v1.0.2 envelopes in one exact byte form, with ECDSA P-256 or Ed25519 keys.
//
// See https://github.com/secure-systems-lab/dsse for the format.
package dsse

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// PayloadType is the DSSE payload type of every document: an in-toto statement.
const PayloadType = "application/vnd.in-toto+json"

// MaxEnvelope is the maximum size of an envelope in bytes. Larger ones are refused unread.
const MaxEnvelope = 8 << 20

// PAE returns DSSE's pre-authentication encoding: the bytes that a key signs.
func PAE(payloadType string, payload []byte) []byte {
	return append(paeHead(payloadType, len(payload)), payload...)
}

// paeHead returns what PAE puts in front of a payload of this length.
func paeHead(payloadType string, length int) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(payloadType), payloadType, length)
}

// Seal signs a payload and returns the envelope in its one byte form.
func Seal(payload []byte, signers ...crypto.Signer) ([]byte, error) {
	e := envelope{payloadType: PayloadType, payload: payload}
	if err := e.sign(signers); err != nil {
		return nil, err
	}
	return e.sized()
}

func (e *envelope) sign(signers []crypto.Signer) error {
	if n := len(e.signatures) + len(signers); len(signers) == 0 || n > MaxSignatures {
		return fmt.Errorf("%d signers for %d signatures in all: want one signer or more, and at most %d signatures", len(signers), n, MaxSignatures)
	}
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

// Countersign adds signatures to an envelope, for policies that demand several keys. It does not verify the existing
// signatures.
func Countersign(raw []byte, signers ...crypto.Signer) ([]byte, error) {
	e, err := parseEnvelope(raw, nil)
	if err != nil {
		return nil, err
	}
	if err := e.sign(signers); err != nil {
		return nil, err
	}
	return e.sized()
}

// sized returns the bytes of the envelope, or an error if readers refuse an envelope of that size.
func (e *envelope) sized() ([]byte, error) {
	raw := e.bytes()
	if len(raw) > MaxEnvelope {
		return nil, refusal.New(refusal.TooLarge, "%d bytes: an envelope has at most %d", len(raw), MaxEnvelope)
	}
	return raw, nil
}

// Verify reads an envelope and returns its payload and the distinct keys whose signatures verify. It refuses the envelope
// if these are fewer than threshold. Bad signatures and signatures by other keys do not count. Verify decodes the payload
// into memory if that is large enough.
func Verify(raw, memory []byte, keys []Key, threshold int) ([]byte, []Key, error) {
	e, err := parseEnvelope(raw, memory)
	if err != nil {
		return nil, nil, err
	}
	if len(e.signatures) == 0 {
		return nil, nil, refusal.New(refusal.NoSignature, "the envelope is not signed")
	}
	signedBy := e.signedBy(keys)
	if len(signedBy) == 0 {
		return nil, nil, refusal.New(refusal.SignatureInvalid, "no signature by a trusted key verifies: %s", e.describeSigners(keys))
	}
	if len(keys) < threshold {
		return nil, nil, refusal.New(refusal.ThresholdNotMet, "of the %d keys that must have signed only %d are trusted at all", threshold, len(keys))
	}
	if len(signedBy) < threshold {
		return nil, nil, refusal.New(refusal.ThresholdNotMet, "of the %d trusted keys that must have signed %d did: another has to countersign", threshold, len(signedBy))
	}
	// Verify looks at the type last, because nobody vouches for the type of an unsigned envelope.
	if e.payloadType != PayloadType {
		return nil, nil, refusal.New(refusal.PayloadType, "%q, want %q", e.payloadType, PayloadType)
	}
	return e.payload, signedBy, nil
}

// describeSigners describes the unverified signers that an envelope names.
func (e *envelope) describeSigners(keys []Key) string {
	var named []string
	for _, s := range e.signatures {
		switch {
		case s.keyID == "":
			return "not all signatures say whose they are"
		case slices.ContainsFunc(keys, func(k Key) bool { return k.id == s.keyID }):
			return fmt.Sprintf("it names the trusted key %.12s…, and was altered after that key signed, or never signed by it", s.keyID)
		}
		named = append(named, fmt.Sprintf("%.12s…", s.keyID))
	}
	return "it names " + strings.Join(named, ", ") + ", which is not trusted"
}

// minTries is the least number of verifications that signedBy spends on signatures without a key id; with many keys it is
// twice the number of keys. The limit stops junk in a large envelope from costing minutes.
const minTries = 2 * MaxSignatures

// signedBy returns the distinct keys whose signatures verify. A key id only saves trying the other keys; it never makes a
// signature count.
func (e *envelope) signedBy(keys []Key) []Key {
	var signedBy []Key
	message := message{payloadType: e.payloadType, payload: e.payload}
	tries := max(minTries, 2*len(keys))
	for _, key := range keys {
		if slices.ContainsFunc(signedBy, func(k Key) bool { return k.id == key.id }) {
			continue
		}
		for _, s := range e.signatures {
			switch {
			case s.keyID == "" && tries > 0:
				tries--
			case s.keyID != key.id:
				continue
			}
			if sig, err := unbase64(base64.StdEncoding, nil, []byte(s.sig)); err == nil && key.verify(&message, sig) {
				signedBy = append(signedBy, key)
				break
			}
		}
	}
	return signedBy
}

// message is the signed message, in the two forms that keys verify. Each form is made once, when a key needs it.
type message struct {
	payloadType string
	payload     []byte
	sum         []byte
	whole       []byte
}

// sha256 returns the hash of the message, for ECDSA.
func (m *message) sha256() []byte {
	if m.sum == nil {
		hash := sha256.New()
		hash.Write(paeHead(m.payloadType, len(m.payload)))
		hash.Write(m.payload)
		m.sum = hash.Sum(nil)
	}
	return m.sum
}

// bytes returns the message itself, for Ed25519.
func (m *message) bytes() []byte {
	if m.whole == nil {
		m.whole = PAE(m.payloadType, m.payload)
	}
	return m.whole
}

// UnverifiedPayload returns the payload of an envelope without verifying its signatures. Nobody vouches for the payload.
func UnverifiedPayload(raw []byte) ([]byte, error) {
	e, err := parseEnvelope(raw, nil)
	if err != nil {
		return nil, err
	}
	if e.payloadType != PayloadType {
		return nil, refusal.New(refusal.PayloadType, "%q, want %q", e.payloadType, PayloadType)
	}
	return e.payload, nil
}
