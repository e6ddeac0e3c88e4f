package receiptstest

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// SignedReceipt signs a receipt.
func SignedReceipt(t testing.TB, r statement.Receipt, signers ...crypto.Signer) []byte {
	t.Helper()
	raw, _, err := attestation.SignReceipt(r, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Seal signs as the DSSE specification says. It is independent of package dsse, and signs what that package would not sign.
func Seal(t testing.TB, payloadType string, payload []byte, signers ...crypto.Signer) []byte {
	t.Helper()
	var sigs []string
	for _, signer := range signers {
		message := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
		sigs = append(sigs, `{"keyid":"`+Public(signer).ID()+`","sig":"`+SignatureBy(t, signer, message)+`"}`)
	}
	return []byte(`{"payloadType":"` + payloadType + `","payload":"` + base64.StdEncoding.EncodeToString(payload) +
		`","signatures":[` + strings.Join(sigs, ",") + "]}\n")
}

// SignatureBy signs a message, and returns the signature in base64.
func SignatureBy(t testing.TB, signer crypto.Signer, message []byte) string {
	t.Helper()
	hash := crypto.Hash(0)
	if Public(signer).Algorithm() == dsse.ECDSAP256 {
		sum := sha256.Sum256(message)
		message, hash = sum[:], crypto.SHA256
	}
	sig, err := signer.Sign(nil, message, hash)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sig)
}

// Envelope is a decoded envelope.
type Envelope struct {
	PayloadType string `json:"payloadType"`
	Payload     []byte `json:"payload"`
	Signatures  []struct {
		KeyID string `json:"keyid"`
		Sig   string `json:"sig"`
	} `json:"signatures"`
}

// ParseEnvelope reads an envelope with encoding/json.
func ParseEnvelope(t testing.TB, raw []byte) Envelope {
	t.Helper()
	var o Envelope
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// WithPayload replaces the payload of an envelope and leaves its signatures as they are.
func WithPayload(t testing.TB, raw, payload []byte) []byte {
	t.Helper()
	old := base64.StdEncoding.EncodeToString(ParseEnvelope(t, raw).Payload)
	return []byte(strings.Replace(string(raw), old, base64.StdEncoding.EncodeToString(payload), 1))
}

// UpdateManifest returns a manifest that names one receipt of the scenario update.
func UpdateManifest(receipt string) statement.Manifest {
	return statement.Manifest{
		Run: "run-amd64", Harness: "v1.0.0", StartedAt: Time(), FinishedAt: Time().Add(100 * time.Second),
		Cells: []statement.Cell{{
			Architecture: "amd64", Scenario: statement.ScenarioUpdate, Candidate: Candidate(statement.ScenarioUpdate).Digest,
			File: statement.ReceiptFile(statement.ScenarioUpdate, "amd64"), Receipt: receipt,
		}},
	}
}

// SignedManifest signs a manifest.
func SignedManifest(t testing.TB, m statement.Manifest) []byte {
	t.Helper()
	raw, _, err := attestation.SignManifest(m, ECDSA("harness"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Replace replaces the first occurrence of old in a text.
func Replace(t testing.TB, text []byte, old, replacement string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("no %s in %s", old, text)
	}
	return bytes.Replace(text, []byte(old), []byte(replacement), 1)
}
