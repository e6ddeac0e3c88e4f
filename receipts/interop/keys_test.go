package interop

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	ours "github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// verifierOf lets the library verify with a public key of ours.
func verifierOf(t *testing.T, key ours.Key) dsse.Verifier {
	t.Helper()
	block, _ := pem.Decode(key.PEM())
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return bridge{id: key.ID(), public: public}
}

func isEd25519(public crypto.PublicKey) bool {
	_, ok := public.(ed25519.PublicKey)
	return ok
}

func verifies(public crypto.PublicKey, data, sig []byte) bool {
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		sum := sha256.Sum256(data)
		return ecdsa.VerifyASN1(key, sum[:], sig)
	case ed25519.PublicKey:
		return ed25519.Verify(key, data, sig)
	}
	return false
}
