package interop

import (
	"crypto"
	"encoding/json"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	ours "github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// sealed is an envelope of the library's.
func sealed(t *testing.T, payload []byte, signer crypto.Signer) []byte {
	t.Helper()
	envelopeSigner, err := dsse.NewEnvelopeSigner(bridgeTo(signer))
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := envelopeSigner.SignPayload(t.Context(), ours.PayloadType, payload)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(envelope)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// opened is the payload that the library finds in an envelope.
func opened(t *testing.T, raw []byte) []byte {
	t.Helper()
	var envelope dsse.Envelope
	if err := json.Unmarshal(raw, &envelope); err != nil {
		t.Fatal(err)
	}
	payload, err := envelope.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	return payload
}
