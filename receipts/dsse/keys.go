package dsse

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Algorithm is the signature algorithm of a key.
type Algorithm string

// Supported algorithms.
const (
	ECDSAP256 Algorithm = "ecdsa-p256" // the default, and what cosign uses
	Ed25519   Algorithm = "ed25519"
)

// ErrKey is wrapped by every error about an unreadable or unusable key.
var ErrKey = errors.New("unusable key")

// GenerateKey generates a signing key. "" means ECDSAP256.
func GenerateKey(algorithm Algorithm) (crypto.Signer, error) {
	switch algorithm {
	case ECDSAP256, "":
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case Ed25519:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	}
	return nil, fmt.Errorf("%w: algorithm %q is neither %s nor %s", ErrKey, algorithm, ECDSAP256, Ed25519)
}

// MarshalPrivateKey encodes a signing key as unencrypted PKCS#8 in PEM. Whoever can read the result can sign receipts.
func MarshalPrivateKey(signer crypto.Signer) ([]byte, error) {
	if _, err := NewKey(signer.Public()); err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// ParsePrivateKey reads an unencrypted signing key: PKCS#8 ("PRIVATE KEY") or SEC 1 ("EC PRIVATE KEY") in PEM.
// It does not read cosign's encrypted form.
func ParsePrivateKey(text []byte) (crypto.Signer, error) {
	block, err := onePEM(text)
	if err != nil {
		return nil, err
	}
	var private any
	switch block.Type {
	case "PRIVATE KEY":
		private, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		private, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("%w: PEM block %q: want an unencrypted PRIVATE KEY or EC PRIVATE KEY", ErrKey, block.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%w: a %T cannot sign", ErrKey, private)
	}
	if _, err := NewKey(signer.Public()); err != nil {
		return nil, err
	}
	return signer, nil
}

// Key is a public key that verifies signatures. The zero Key verifies nothing.
type Key struct {
	public crypto.PublicKey
	id     string
	der    []byte
}

// NewKey returns the Key of an ECDSA P-256 or Ed25519 public key.
func NewKey(public crypto.PublicKey) (Key, error) {
	switch p := public.(type) {
	case *ecdsa.PublicKey:
		if p.Curve != elliptic.P256() {
			return Key{}, fmt.Errorf("%w: ECDSA on %s: want P-256", ErrKey, p.Curve.Params().Name)
		}
	case ed25519.PublicKey:
	default:
		return Key{}, fmt.Errorf("%w: %T: want ECDSA P-256 or Ed25519", ErrKey, public)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	sum := sha256.Sum256(der)
	return Key{public: public, id: hex.EncodeToString(sum[:]), der: der}, nil
}

// ParseKey reads a public key in the form that cosign writes: one PEM block "PUBLIC KEY" with PKIX content.
func ParseKey(text []byte) (Key, error) {
	block, err := onePEM(text)
	if err != nil {
		return Key{}, err
	}
	if strings.Contains(block.Type, "PRIVATE KEY") {
		return Key{}, fmt.Errorf("%w: this is a private key: want the public one", ErrKey)
	}
	if block.Type != "PUBLIC KEY" {
		return Key{}, fmt.Errorf("%w: PEM block %q: want PUBLIC KEY", ErrKey, block.Type)
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKey, err)
	}
	return NewKey(public)
}

// onePEM decodes a single PEM block. It refuses further text, so that no key hides behind another.
func onePEM(text []byte) (*pem.Block, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%w: no PEM block", ErrKey)
	}
	if len(strings.TrimSpace(string(rest))) > 0 {
		return nil, fmt.Errorf("%w: more than one PEM block", ErrKey)
	}
	return block, nil
}

// ID returns the hex sha256 of the key's SubjectPublicKeyInfo. It names the key for people and policies. Only the key
// itself verifies signatures.
func (k Key) ID() string { return k.id }

// Algorithm returns the algorithm of the key.
func (k Key) Algorithm() Algorithm {
	if _, ok := k.public.(ed25519.PublicKey); ok {
		return Ed25519
	}
	return ECDSAP256
}

// PEM encodes the key in the form that ParseKey and cosign read.
func (k Key) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: k.der})
}

// verify says whether signature is a signature of this key over a message.
func (k Key) verify(m *message, signature []byte) bool {
	switch public := k.public.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, m.sha256(), signature)
	case ed25519.PublicKey:
		return ed25519.Verify(public, m.bytes(), signature)
	}
	return false
}

// signWith makes a signature that Key.verify accepts.
func signWith(signer crypto.Signer, message []byte) ([]byte, error) {
	if _, ok := signer.Public().(ed25519.PublicKey); ok {
		return signer.Sign(rand.Reader, message, crypto.Hash(0))
	}
	sum := sha256.Sum256(message)
	return signer.Sign(rand.Reader, sum[:], crypto.SHA256)
}
