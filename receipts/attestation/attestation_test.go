package attestation_test

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestOpenWhatWasSigned(t *testing.T) {
	t.Parallel()
	for _, signer := range []crypto.Signer{receiptstest.ECDSA("a"), receiptstest.Ed25519("a")} {
		raw, digest, err := attestation.SignReceipt(receiptstest.Receipt(statement.ScenarioUpdate), signer)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{raw, bytes.TrimSuffix(raw, []byte("\n"))} {
			document, err := attestation.Open(form, receiptstest.Keys(signer), 1)
			if err != nil {
				t.Fatal(err)
			}
			if document.Digest != digest || document.Receipt == nil || document.Receipt.Verdict != statement.Passed {
				t.Errorf("%T: another document: %+v", signer, document)
			}
		}
		if _, err := attestation.Open(raw, receiptstest.Keys(receiptstest.ECDSA("b"), receiptstest.Ed25519("b")), 1); refusal.CodeOf(err) != refusal.SignatureInvalid {
			t.Errorf("%T: other keys: %v", signer, err)
		}
		if _, err := attestation.Open(raw, []dsse.Key{{}}, 1); refusal.CodeOf(err) != refusal.SignatureInvalid {
			t.Errorf("%T: the zero key: %v", signer, err)
		}
	}
}

func TestThreshold(t *testing.T) {
	t.Parallel()
	a, b, c := receiptstest.ECDSA("a"), receiptstest.Ed25519("b"), receiptstest.ECDSA("c")
	r := receiptstest.Receipt(statement.ScenarioUpdate)
	junk := strings.Replace(string(receiptstest.SignedReceipt(t, r, a)), `"signatures":[`, `"signatures":[{"keyid":"","sig":"!"},{"keyid":"x","sig":"AAAA"},`, 1)
	countersigned, err := dsse.Countersign(receiptstest.SignedReceipt(t, r, a), b)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		raw       []byte
		keys      []dsse.Key
		threshold int
		want      refusal.Code
	}{
		{"one of one", receiptstest.SignedReceipt(t, r, a), receiptstest.Keys(a), 1, ""},
		{"threshold of none counts as one", receiptstest.SignedReceipt(t, r, c), receiptstest.Keys(a), 0, refusal.SignatureInvalid},
		{"two of two", receiptstest.SignedReceipt(t, r, a, b), receiptstest.Keys(a, b), 2, ""},
		{"two of three", receiptstest.SignedReceipt(t, r, a, c), receiptstest.Keys(a, b, c), 2, ""},
		{"one of two", receiptstest.SignedReceipt(t, r, a), receiptstest.Keys(a, b), 2, refusal.ThresholdNotMet},
		{"one key signs twice", receiptstest.SignedReceipt(t, r, a, a), receiptstest.Keys(a, b), 2, refusal.ThresholdNotMet},
		{"one key is given twice", receiptstest.SignedReceipt(t, r, a), receiptstest.Keys(a, a), 2, refusal.ThresholdNotMet},
		{"one key signs twice and is given twice", receiptstest.SignedReceipt(t, r, a, a), receiptstest.Keys(a, a), 2, refusal.ThresholdNotMet},
		{"a stranger signs too", receiptstest.SignedReceipt(t, r, c, a), receiptstest.Keys(a, b), 1, ""},
		{"a stranger does not count", receiptstest.SignedReceipt(t, r, c, a), receiptstest.Keys(a, b), 2, refusal.ThresholdNotMet},
		{"junk signatures are ignored", []byte(junk), receiptstest.Keys(a), 1, ""},
		{"countersigned", countersigned, receiptstest.Keys(a, b), 2, ""},
		{"nobody signed", receiptstest.Seal(t, dsse.PayloadType, receiptstest.ParseEnvelope(t, receiptstest.SignedReceipt(t, r, a)).Payload), receiptstest.Keys(a), 1, refusal.NoSignature},
		{"nobody is trusted", receiptstest.SignedReceipt(t, r, a), nil, 1, refusal.SignatureInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document, err := attestation.Open(tt.raw, tt.keys, tt.threshold)
			if refusal.CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err == nil && len(document.SignedBy) < tt.threshold {
				t.Errorf("%d signers", len(document.SignedBy))
			}
		})
	}
}

// A key id is a hint. It may be missing, and it never makes a signature count.
func TestKeyIDIsAHint(t *testing.T) {
	t.Parallel()
	a, b := receiptstest.ECDSA("a"), receiptstest.ECDSA("b")
	raw := string(receiptstest.SignedReceipt(t, receiptstest.Receipt(statement.ScenarioUpdate), a))
	idA, idB := receiptstest.Public(a).ID(), receiptstest.Public(b).ID()
	if _, err := attestation.Open([]byte(strings.Replace(raw, idA, "", 1)), receiptstest.Keys(b, a), 1); err != nil {
		t.Errorf("without key id: %v", err)
	}
	if _, err := attestation.Open([]byte(strings.Replace(raw, idA, idB, 1)), receiptstest.Keys(a, b), 1); refusal.CodeOf(err) != refusal.SignatureInvalid {
		t.Errorf("with the key id of another trusted key: %v", err)
	}
}

// An envelope with a changed, missing or cut byte does not verify. The test changes each byte: one bit inside the payload,
// where most changes cost the verification of a signature, and every bit outside of it.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	for _, signer := range []crypto.Signer{receiptstest.ECDSA("a"), receiptstest.Ed25519("a")} {
		t.Run(fmt.Sprintf("%T", signer), func(t *testing.T) {
			t.Parallel()
			raw, keys := receiptstest.SignedReceipt(t, receiptstest.SmallReceipt(), signer), receiptstest.Keys(signer)
			if _, err := attestation.Open(raw, keys, 1); err != nil {
				t.Fatal(err)
			}
			refused := func(what string, at int, changed []byte) {
				if _, err := attestation.Open(changed, keys, 1); err == nil {
					t.Fatalf("byte %d %s verifies", at, what)
				}
			}
			payload := bytes.Index(raw, []byte(`"payload":"`)) + len(`"payload":"`)
			signatures := bytes.LastIndex(raw, []byte(`","signatures"`))
			for i := range raw {
				inside := i >= payload && i < signatures
				changed := bytes.Clone(raw)
				flips := []byte{1, 2, 4, 8, 16, 32, 64, 128, 255, 3, 5, 6, 7, 48, 96, 127}
				if inside {
					flips = flips[i%8 : i%8+1]
				}
				for _, flip := range flips {
					changed[i] = raw[i] ^ flip
					refused("changed", i, changed)
				}
				if i < len(raw)-1 && (!inside || i%16 == 0) { // the newline at the end may be missing
					refused("and all after it cut off", i, raw[:i])
					refused("left out", i, append(bytes.Clone(raw[:i]), raw[i+1:]...))
				}
			}
		})
	}
}

// padded returns an envelope whose base64 payload ends in padding.
func padded(t *testing.T, signer crypto.Signer) string {
	t.Helper()
	r := receiptstest.SmallReceipt()
	for range 3 {
		raw := string(receiptstest.SignedReceipt(t, r, signer))
		if strings.Contains(raw, `=","signatures`) {
			return raw
		}
		r.Run.Harness += "x"
	}
	t.Fatal("no payload needs padding")
	return ""
}

func TestEnvelopesRefused(t *testing.T) {
	t.Parallel()
	signer := receiptstest.ECDSA("a")
	raw := padded(t, signer)
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(raw), "", "  "); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, raw string
		want      refusal.Code
	}{
		{"empty", "", refusal.EnvelopeMalformed},
		{"two newlines", raw + "\n", refusal.EnvelopeForm},
		{"two envelopes", raw + raw, refusal.EnvelopeMalformed},
		{"indented", indented.String(), refusal.EnvelopeForm},
		{"unknown member", strings.Replace(raw, `{"payloadType"`, `{"extra":1,"payloadType"`, 1), refusal.EnvelopeMalformed},
		{"case-folded second payloadType", strings.Replace(raw, `,"payload"`, `,"PAYLOADTYPE":"evil","payload"`, 1), refusal.EnvelopeMalformed},
		{"payload twice", strings.Replace(raw, `"signatures"`, `"payload":"e30=","signatures"`, 1), refusal.EnvelopeMalformed},
		{"newline in the payload", strings.Replace(raw, `"payload":"`, `"payload":"\n`, 1), refusal.EnvelopeMalformed},
		{"bare newline in the payload", strings.Replace(raw, `"payload":"`, "\"payload\":\"\n", 1), refusal.EnvelopeMalformed},
		{"no padding", strings.Replace(raw, `=","signatures`, `","signatures`, 1), refusal.EnvelopeMalformed},
		{"null signatures", raw[:strings.Index(raw, `"signatures"`)] + `"signatures":null}`, refusal.EnvelopeMalformed},
		{"too many signatures", strings.Replace(raw, `"signatures":[`, `"signatures":[`+strings.Repeat(`{"keyid":"","sig":""},`, 16), 1), refusal.EnvelopeMalformed},
		{"too large", raw + strings.Repeat(" ", dsse.MaxEnvelope), refusal.TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := attestation.Open([]byte(tt.raw), receiptstest.Keys(signer), 1); refusal.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A normalized envelope of another tool verifies. DSSE allows any JSON layout and both alphabets of base64.
func TestNormalize(t *testing.T) {
	t.Parallel()
	signer := receiptstest.ECDSA("a")
	raw := receiptstest.SignedReceipt(t, receiptstest.Receipt(statement.ScenarioUpdate), signer)
	var e struct {
		PayloadType string              `json:"payloadType"`
		Payload     []byte              `json:"payload"`
		Signatures  []map[string]string `json:"signatures"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	sig, err := base64.StdEncoding.DecodeString(e.Signatures[0]["sig"])
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := json.MarshalIndent(map[string]any{
		"payload":     base64.URLEncoding.EncodeToString(e.Payload),
		"payloadType": e.PayloadType,
		"signatures":  []map[string]string{{"sig": base64.URLEncoding.EncodeToString(sig)}},
	}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := attestation.Open(foreign, receiptstest.Keys(signer), 1); refusal.CodeOf(err) != refusal.EnvelopeForm {
		t.Errorf("as it is: %v", err)
	}
	normal, err := dsse.Normalize(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := attestation.Open(normal, receiptstest.Keys(signer), 1); err != nil {
		t.Errorf("normalized: %v", err)
	}
	for _, bad := range []string{`{}`, `[]`, strings.Replace(string(foreign), `"payload"`, `"PAYLOAD"`, 1), string(foreign) + "x"} {
		if _, err := dsse.Normalize([]byte(bad)); refusal.CodeOf(err) != refusal.EnvelopeMalformed {
			t.Errorf("%.30q: %v", bad, err)
		}
	}
}

func TestRefusalsAreTyped(t *testing.T) {
	t.Parallel()
	_, err := attestation.Open([]byte("{}"), nil, 1)
	refused, ok := errors.AsType[*refusal.Error](fmt.Errorf("input: %w", err))
	if !ok || refused.Code != refusal.EnvelopeMalformed || refusal.CodeOf(nil) != "" || refusal.CodeOf(errors.New("x")) != "" {
		t.Errorf("%v is no refusal", err)
	}
}

// An envelope needs a signer, and cannot have more signatures than its readers accept.
func TestSignersOutOfBounds(t *testing.T) {
	t.Parallel()
	r := receiptstest.Receipt(statement.ScenarioUpdate)
	if _, _, err := attestation.SignReceipt(r); err == nil || !strings.Contains(err.Error(), "want one signer or more") {
		t.Errorf("nobody: %v", err)
	}
	raw := receiptstest.SignedReceipt(t, r, slices.Repeat([]crypto.Signer{receiptstest.ECDSA("harness")}, 16)...)
	if _, err := attestation.Open(raw, receiptstest.Keys(receiptstest.ECDSA("harness")), 1); err != nil {
		t.Error(err)
	}
	if _, err := dsse.Countersign(raw, receiptstest.ECDSA("harness")); err == nil || !strings.Contains(err.Error(), "17 signatures in all") {
		t.Errorf("a seventeenth: %v", err)
	}
}

// Signatures without a key id are tried with each key up to a limit, so that junk in a large envelope does not cost
// minutes. Signatures with a key id still count.
func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	raw := string(receiptstest.SignedReceipt(t, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.Ed25519("last")))
	var keys []dsse.Key
	for i := range 10 {
		keys = append(keys, receiptstest.Public(receiptstest.Ed25519(fmt.Sprint(i))))
	}
	keys = append(keys, receiptstest.Public(receiptstest.Ed25519("last")))
	anonymous := strings.Replace(raw, keys[10].ID(), "", 1)
	junk := strings.Repeat(`{"keyid":"","sig":"`+strings.Repeat("A", 86)+`=="},`, 15)
	for name, tt := range map[string]struct {
		raw  string
		want refusal.Code
	}{
		"named":                {raw, ""},
		"anonymous":            {anonymous, ""},
		"named after junk":     {strings.Replace(raw, `"signatures":[`, `"signatures":[`+junk, 1), ""},
		"anonymous after junk": {strings.Replace(anonymous, `"signatures":[`, `"signatures":[`+junk, 1), refusal.SignatureInvalid},
	} {
		if _, err := attestation.Open([]byte(tt.raw), keys, 1); refusal.CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Each trusted key is tried, whatever their number.
func TestAnonymousSignatureOfManyKeys(t *testing.T) {
	t.Parallel()
	raw := string(receiptstest.SignedReceipt(t, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("last")))
	last := receiptstest.Public(receiptstest.ECDSA("last"))
	var keys []dsse.Key
	for i := range 50 {
		keys = append(keys, receiptstest.Public(receiptstest.ECDSA(fmt.Sprint(i))))
	}
	if _, err := attestation.Open([]byte(strings.Replace(raw, last.ID(), "", 1)), append(keys, last), 1); err != nil {
		t.Error(err)
	}
}
