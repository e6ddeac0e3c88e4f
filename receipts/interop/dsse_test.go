package interop

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	ours "github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// bridge lets the library sign and verify with a key of ours.
type bridge struct {
	signer crypto.Signer
	id     string
	public crypto.PublicKey
}

func bridgeTo(signer crypto.Signer) bridge {
	return bridge{signer: signer, id: receiptstest.Public(signer).ID(), public: signer.Public()}
}

func (b bridge) KeyID() (string, error) { return b.id, nil }

func (b bridge) Public() crypto.PublicKey { return b.public }

func (b bridge) Sign(_ context.Context, data []byte) ([]byte, error) {
	if isEd25519(b.public) {
		return b.signer.Sign(rand.Reader, data, crypto.Hash(0))
	}
	sum := sha256.Sum256(data)
	return b.signer.Sign(rand.Reader, sum[:], crypto.SHA256)
}

func (b bridge) Verify(_ context.Context, data, sig []byte) error {
	if !verifies(b.public, data, sig) {
		return errors.New("bad signature")
	}
	return nil
}

func signers() map[string]crypto.Signer {
	return map[string]crypto.Signer{"ecdsa": receiptstest.ECDSA("harness"), "ed25519": receiptstest.Ed25519("harness")}
}

// The library verifies what this project signs.
func TestLibraryVerifiesOurs(t *testing.T) {
	t.Parallel()
	for name, signer := range signers() {
		raw, digest, err := attestation.SignReceipt(receiptstest.Receipt(statement.ScenarioRestoreRequired), signer)
		if err != nil {
			t.Fatal(err)
		}
		var envelope dsse.Envelope
		if err := json.Unmarshal(raw, &envelope); err != nil {
			t.Fatal(err)
		}
		verifier, err := dsse.NewEnvelopeVerifier(bridgeTo(signer))
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := verifier.Verify(t.Context(), &envelope)
		if err != nil || len(accepted) != 1 {
			t.Errorf("%s: %d keys, %v", name, len(accepted), err)
		}
		payload, err := envelope.DecodeB64Payload()
		if err != nil || statement.Digest(payload) != digest || envelope.PayloadType != ours.PayloadType {
			t.Errorf("%s: another payload: %v", name, err)
		}
		stranger, err := dsse.NewEnvelopeVerifier(bridgeTo(receiptstest.ECDSA("stranger")))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stranger.Verify(t.Context(), &envelope); err == nil {
			t.Errorf("%s: a stranger's key verifies it", name)
		}
	}
}

// This project verifies what the library signs, as the library writes it.
func TestWeVerifyTheLibrarys(t *testing.T) {
	t.Parallel()
	for name, signer := range signers() {
		raw := sealed(t, payloadOf(t, receiptstest.Receipt(statement.ScenarioUpdate)), signer)
		keys := []ours.Key{receiptstest.Public(signer)}
		if document, err := attestation.Open(raw, keys, 1); err != nil || document.Receipt == nil {
			t.Errorf("%s: %v", name, err)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		normal, err := ours.Normalize(indented.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := attestation.Open(normal, keys, 1); err != nil {
			t.Errorf("%s, normalized: %v", name, err)
		}
	}
}

func TestSamePAE(t *testing.T) {
	t.Parallel()
	for _, payload := range [][]byte{nil, []byte("hello world"), bytes.Repeat([]byte{0xff, '\n'}, 1000)} {
		for _, payloadType := range []string{"", "http://example.com/HelloWorld", "é"} {
			if ours, theirs := ours.PAE(payloadType, payload), dsse.PAE(payloadType, payload); !bytes.Equal(ours, theirs) {
				t.Errorf("%q: %q, the library has %q", payloadType, ours, theirs)
			}
		}
	}
}

func payloadOf(t *testing.T, r statement.Receipt) []byte {
	t.Helper()
	raw, _, err := attestation.SignReceipt(r, receiptstest.ECDSA("harness"))
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, raw)
}

// What we believe of the vectors, the library verifies as well: we are never the more lenient one.
func TestLibraryVerifiesWhatWeBelieve(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, v := range vectors(t) {
		var verifiers []dsse.Verifier
		for _, text := range v.Keys {
			key, err := ours.ParseKey([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			verifiers = append(verifiers, verifierOf(t, key))
		}
		for _, input := range v.Inputs {
			code, refused := v.Expect.Refused[input.Name]
			if refused && code != refusal.VerdictMismatch || input.Name == "override" || len(verifiers) != 1 {
				continue
			}
			var envelope dsse.Envelope
			if err := json.Unmarshal([]byte(input.Text), &envelope); err != nil {
				t.Fatal(err)
			}
			verifier, err := dsse.NewEnvelopeVerifier(verifiers...)
			if err != nil {
				t.Fatal(err)
			}
			// The library gives up at a signature that is no base64, which the specification tells it to pass over.
			if _, err := verifier.Verify(t.Context(), &envelope); err != nil && v.Name != "good/junk-signature-beside" {
				t.Errorf("%s: %s: %v", v.Name, input.Name, err)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d documents were checked", checked)
	}
}
