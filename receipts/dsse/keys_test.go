package dsse_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

func TestGeneratedKeys(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []dsse.Algorithm{dsse.ECDSAP256, dsse.Ed25519, ""} {
		signer, err := dsse.GenerateKey(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		private, err := dsse.MarshalPrivateKey(signer)
		if err != nil {
			t.Fatal(err)
		}
		read, err := dsse.ParsePrivateKey(private)
		if err != nil {
			t.Fatal(err)
		}
		key, err := dsse.NewKey(read.Public())
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := dsse.ParseKey(key.PEM())
		if err != nil || parsed.ID() != key.ID() || len(key.ID()) != 64 {
			t.Errorf("%q: id %q, read back %q, %v", algorithm, key.ID(), parsed.ID(), err)
		}
		if want := algorithm; want != "" && parsed.Algorithm() != want {
			t.Errorf("%q: algorithm %q", want, parsed.Algorithm())
		}
		raw := receiptstest.SignedReceipt(t, receiptstest.SmallReceipt(), read)
		if _, err := attestation.Open(raw, []dsse.Key{parsed}, 1); err != nil {
			t.Errorf("%q: %v", algorithm, err)
		}
	}
	if _, err := dsse.GenerateKey("rsa"); !errors.Is(err, dsse.ErrKey) {
		t.Errorf("rsa: %v", err)
	}
}

// OpenSSL wrote the files in testdata/keys, in the forms that cosign imports and exports. Their ids are the output of
// `openssl pkey -pubin -outform DER | sha256sum`.
func TestKeysOfOtherTools(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"p256-pkcs8", "p256-sec1", "ed25519-pkcs8"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(ending string) []byte {
				text, err := os.ReadFile(filepath.Join("..", "testdata", "keys", name+ending))
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			key, err := dsse.ParseKey(read(".pub"))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSpace(string(read(".id"))); key.ID() != want {
				t.Errorf("id %s, want %s", key.ID(), want)
			}
			signer, err := dsse.ParsePrivateKey(read(".key"))
			if err != nil {
				t.Fatal(err)
			}
			if own, err := dsse.NewKey(signer.Public()); err != nil || own.ID() != key.ID() {
				t.Errorf("the private key is of %s: %v", own.ID(), err)
			}
			if string(key.PEM()) != string(read(".pub")) {
				t.Errorf("written differently than read:\n%s", key.PEM())
			}
		})
	}
}

func TestUnusableKeys(t *testing.T) {
	t.Parallel()
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good, err := dsse.GenerateKey(dsse.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	private, err := dsse.MarshalPrivateKey(good)
	if err != nil {
		t.Fatal(err)
	}
	public := publicPEM(t, good)
	for name, text := range map[string]string{
		"empty":         "",
		"no PEM":        "ssh-ed25519 AAAA",
		"P-384":         publicPEM(t, p384),
		"RSA":           publicPEM(t, weak),
		"private key":   string(private),
		"two keys":      public + public,
		"text after it": public + "x",
		"another type":  strings.ReplaceAll(public, "PUBLIC KEY", "CERTIFICATE"),
		"no PKIX":       string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})),
		"truncated":     public[:60],
		"encrypted":     "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n",
	} {
		if _, err := dsse.ParseKey([]byte(text)); !errors.Is(err, dsse.ErrKey) {
			t.Errorf("public, %s: %v", name, err)
		}
		if name == "private key" {
			continue
		}
		if _, err := dsse.ParsePrivateKey([]byte(text)); !errors.Is(err, dsse.ErrKey) {
			t.Errorf("private, %s: %v", name, err)
		}
	}
	for _, signer := range []crypto.Signer{p384, weak} {
		if _, err := dsse.MarshalPrivateKey(signer); !errors.Is(err, dsse.ErrKey) {
			t.Errorf("%T is written: %v", signer, err)
		}
		if _, _, err := attestation.SignReceipt(receiptstest.SmallReceipt(), signer); !errors.Is(err, dsse.ErrKey) {
			t.Errorf("%T signs: %v", signer, err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(signer)
		if err != nil {
			t.Fatal(err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
		if _, err := dsse.ParsePrivateKey(text); !errors.Is(err, dsse.ErrKey) {
			t.Errorf("%T is read: %v", signer, err)
		}
	}
}

func publicPEM(t *testing.T, signer crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}
