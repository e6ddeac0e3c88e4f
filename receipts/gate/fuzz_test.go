package gate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Envelopes are read as any JSON reader reads them, and have one form.
func FuzzEnvelope(f *testing.F) {
	raw := receiptstest.SignedReceipt(f, receiptstest.SmallReceipt(), signer())
	keys := receiptstest.Keys(signer())
	f.Add(raw)
	f.Add([]byte(`{"payloadType":"","payload":"","signatures":[]}`))
	f.Add([]byte(`{"payloadType":"a","payload":"e30=","signatures":[{"keyid":"","sig":"AA=="}]}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := attestation.Open(text, keys, 1)
		if err == nil && !bytes.Equal(bytes.TrimSuffix(text, []byte("\n")), bytes.TrimSuffix(raw, []byte("\n"))) {
			t.Fatalf("an unsigned envelope verifies: %+v", document)
		}
		if err != nil && refusal.CodeOf(err) == "" {
			t.Fatalf("an error without a code: %v", err)
		}
		normal, err := dsse.Normalize(text)
		if err != nil {
			return
		}
		if again, err := dsse.Normalize(normal); err != nil || !bytes.Equal(normal, again) {
			t.Fatalf("the normal form is not the normal form of itself: %v", err)
		}
		var o receiptstest.Envelope
		if err := json.Unmarshal(normal, &o); err != nil {
			t.Fatalf("encoding/json does not read the normal form: %v", err)
		}
	})
}

// The trusted key may sign anything. Open then returns a document that tells the truth, or an error with a code.
func FuzzStatement(f *testing.F) {
	f.Add(updatePayload(f))
	f.Add(receiptstest.ParseEnvelope(f, receiptstest.SignedManifest(f, receiptstest.UpdateManifest(receiptstest.Digest("receipt")))).Payload)
	f.Add(receiptstest.ParseEnvelope(f, signedOverride(f, func(*statement.Override) {}, signer())).Payload)
	result, err := attestation.SignTestResult(receiptstest.SmallReceipt(), receiptstest.Digest("receipt"), signer())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(receiptstest.ParseEnvelope(f, result).Payload)
	key := receiptstest.Ed25519("fuzzer") // the faster algorithm
	keys := receiptstest.Keys(key)
	f.Fuzz(func(t *testing.T, payload []byte) {
		raw := receiptstest.Seal(t, dsse.PayloadType, payload, key)
		document, err := attestation.Open(raw, keys, 1)
		if err != nil {
			if refusal.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		if document.Digest != statement.Digest(payload) {
			t.Fatalf("the digest is not the payload's")
		}
		if r := document.Receipt; r != nil {
			_, verdict, disposition := evaluation.Of(*r)
			if verdict != r.Verdict || disposition != r.Disposition {
				t.Fatalf("a receipt passes that claims what its observations do not show")
			}
			receiptstest.SignedReceipt(t, *r, key) // a receipt that can be read can be signed
		}
	})
}

func FuzzPolicy(f *testing.F) {
	text, err := json.Marshal(suitePolicy())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"maxAge":"72h","threshold":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := gate.ParsePolicy(text)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("ParsePolicy accepts an invalid policy: %v", err)
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gate.ParsePolicy(written)
		if err != nil || again.Digest() != p.Digest() {
			t.Fatalf("it does not read back: %v\n%s", err, cmp.Diff(p, again))
		}
		if d := gate.Decide(p, gate.Trust{}, gate.Question{}, slices.Values[[]gate.Input](nil), now()); d.Promote {
			t.Fatalf("it promotes without evidence")
		}
	})
}

// A manifest that Open accepts is valid.
func FuzzManifest(f *testing.F) {
	predicate := func(payload []byte) string {
		var s struct {
			Predicate json.RawMessage `json:"predicate"`
		}
		if err := json.Unmarshal(payload, &s); err != nil {
			f.Fatal(err)
		}
		return string(s.Predicate)
	}
	f.Add(predicate(receiptstest.ParseEnvelope(f, receiptstest.SignedManifest(f, receiptstest.UpdateManifest(receiptstest.Digest("receipt")))).Payload))
	key := receiptstest.Ed25519("fuzzer")
	keys := receiptstest.Keys(key)
	f.Fuzz(func(t *testing.T, text string) {
		var m statement.Manifest
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		raw, digest, err := attestation.SignManifest(m, key)
		if err != nil {
			return
		}
		document, err := attestation.Open(raw, keys, 1)
		if err != nil {
			t.Fatalf("Open refuses a signed manifest: %v", err)
		}
		if document.Digest != digest || document.Manifest == nil {
			t.Fatalf("it reads back differently")
		}
		cells := map[string]bool{}
		for _, cell := range document.Manifest.Cells {
			name := cell.Architecture + "/" + cell.Scenario
			if cells[name] {
				t.Fatalf("cell %s twice", name)
			}
			cells[name] = true
		}
	})
}
