package receiptstest

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// At returns the checkpoint of a name, or nil.
func At(r *statement.Receipt, name string) *statement.Checkpoint {
	for i := range r.Checkpoints {
		if r.Checkpoints[i].Name == name {
			return &r.Checkpoints[i]
		}
	}
	return nil
}

// ClaimAt returns the claim of a role at a checkpoint, or nil.
func ClaimAt(r *statement.Receipt, checkpoint, role string) *statement.Claim {
	cp := At(r, checkpoint)
	for i := range cp.Claims {
		if cp.Claims[i].Role == role {
			return &cp.Claims[i]
		}
	}
	return nil
}

// Drop removes a checkpoint.
func Drop(r *statement.Receipt, name string) {
	r.Checkpoints = slices.DeleteFunc(r.Checkpoints, func(cp statement.Checkpoint) bool { return cp.Name == name })
}

// Refuse makes a checkpoint a refused one.
func Refuse(r *statement.Receipt, checkpoint string, reason statement.Reason) {
	cp := At(r, checkpoint)
	cp.Outcome, cp.Reason, cp.Message = statement.Refused, reason, "the words of whoever refused it"
}

// Keys are the public halves of signing keys.
func Keys(signers ...crypto.Signer) []dsse.Key {
	var keys []dsse.Key
	for _, signer := range signers {
		keys = append(keys, Public(signer))
	}
	return keys
}

// Small is a receipt with little in it.
func Small() statement.Receipt {
	r := Observations(statement.ScenarioUpdate, "amd64")
	r.Checkpoints, r.Fleet, r.Spans, r.Restores, r.Backup = nil, nil, nil, nil, nil
	return r
}

// SignedReceipt signs a receipt.
func SignedReceipt(t testing.TB, r statement.Receipt, signers ...crypto.Signer) []byte {
	t.Helper()
	raw, _, err := attestation.SignReceipt(r, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Seal is DSSE as the specification has it, written apart from the package's own: it signs what the package would not.
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

// Opened is an envelope taken apart.
type Opened struct {
	PayloadType string `json:"payloadType"`
	Payload     []byte `json:"payload"`
	Signatures  []struct {
		KeyID string `json:"keyid"`
		Sig   string `json:"sig"`
	} `json:"signatures"`
}

// TakeApart reads an envelope as any reader of JSON does.
func TakeApart(t testing.TB, raw []byte) Opened {
	t.Helper()
	var o Opened
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// WithPayload puts another payload under the signatures that are there.
func WithPayload(t testing.TB, raw, payload []byte) []byte {
	t.Helper()
	old := base64.StdEncoding.EncodeToString(TakeApart(t, raw).Payload)
	return []byte(strings.Replace(string(raw), old, base64.StdEncoding.EncodeToString(payload), 1))
}

// UpdateManifest names one receipt of the scenario update.
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

// Replace changes a text in one place.
func Replace(t testing.TB, text []byte, old, replacement string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("there is no %s in %s", old, text)
	}
	return bytes.Replace(text, []byte(old), []byte(replacement), 1)
}
