package receiptstest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"io"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// Signer is a signing key.
type Signer = crypto.Signer

// ECDSA returns the ECDSA P-256 key of a name. Its signatures are deterministic.
func ECDSA(name string) Signer {
	seed := sha256.Sum256([]byte(name))
	seed[0] = 0 // below the order of the curve
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:])
	if err != nil {
		panic(err) // only for a hash of zero
	}
	return deterministic{key}
}

// deterministic signs as RFC 6979 describes. crypto/ecdsa does so if it gets no source of randomness.
type deterministic struct{ *ecdsa.PrivateKey }

func (d deterministic) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return d.PrivateKey.Sign(nil, digest, opts)
}

// Ed25519 returns the Ed25519 key of a name.
func Ed25519(name string) Signer {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// Public returns the public half of a key.
func Public(signer crypto.Signer) dsse.Key {
	key, err := dsse.NewKey(signer.Public())
	if err != nil {
		panic(err) // the caller passed a key of another kind
	}
	return key
}

// Keys returns the public halves of signing keys.
func Keys(signers ...crypto.Signer) []dsse.Key {
	var keys []dsse.Key
	for _, signer := range signers {
		keys = append(keys, Public(signer))
	}
	return keys
}
