package interop

import (
	"encoding/json"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

func vectors(t *testing.T) []receiptstest.Vector {
	t.Helper()
	all, err := receiptstest.Vectors("../testdata/vectors")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d vectors: %v", len(all), err)
	}
	return all
}

// payload is what the library finds in an envelope, and what must come of it.
type payload struct {
	text string
	code refusal.Code
}

func payloads(v receiptstest.Vector) []payload {
	var payloads []payload
	for _, input := range v.Inputs {
		var envelope dsse.Envelope
		if json.Unmarshal([]byte(input.Text), &envelope) != nil {
			continue
		}
		if text, err := envelope.DecodeB64Payload(); err == nil {
			payloads = append(payloads, payload{string(text), v.Expect.Refused[input.Name]})
		}
	}
	return payloads
}
