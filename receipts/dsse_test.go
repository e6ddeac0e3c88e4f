package receipts_test

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

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// The test vector of the DSSE specification.
func TestPAE(t *testing.T) {
	t.Parallel()
	got := string(receipts.PAE("http://example.com/HelloWorld", []byte("hello world")))
	if want := "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func keysOf(signers ...crypto.Signer) []receipts.Key {
	var keys []receipts.Key
	for _, signer := range signers {
		keys = append(keys, receiptstest.Public(signer))
	}
	return keys
}

// small is a receipt with little in it.
func small() receipts.Receipt {
	r := receiptstest.Observations(receipts.ScenarioUpdate, "amd64")
	r.Checkpoints, r.Fleet, r.Spans, r.Restores, r.Backup = nil, nil, nil, nil, nil
	return r
}

func signedReceipt(t testing.TB, r receipts.Receipt, signers ...crypto.Signer) []byte {
	t.Helper()
	raw, _, err := receipts.SignReceipt(r, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestOpenWhatWasSigned(t *testing.T) {
	t.Parallel()
	for _, signer := range []crypto.Signer{receiptstest.ECDSA("a"), receiptstest.Ed25519("a")} {
		raw, digest, err := receipts.SignReceipt(receiptstest.Receipt(receipts.ScenarioUpdate), signer)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{raw, bytes.TrimSuffix(raw, []byte("\n"))} {
			document, err := receipts.Open(form, keysOf(signer), 1)
			if err != nil {
				t.Fatal(err)
			}
			if document.Digest != digest || document.Receipt == nil || document.Receipt.Verdict != receipts.Passed {
				t.Errorf("%T: another document: %+v", signer, document)
			}
		}
		if _, err := receipts.Open(raw, keysOf(receiptstest.ECDSA("b"), receiptstest.Ed25519("b")), 1); receipts.CodeOf(err) != receipts.CodeSignatureInvalid {
			t.Errorf("%T: other keys: %v", signer, err)
		}
		if _, err := receipts.Open(raw, []receipts.Key{{}}, 1); receipts.CodeOf(err) != receipts.CodeSignatureInvalid {
			t.Errorf("%T: the zero key: %v", signer, err)
		}
	}
}

func TestThreshold(t *testing.T) {
	t.Parallel()
	a, b, c := receiptstest.ECDSA("a"), receiptstest.Ed25519("b"), receiptstest.ECDSA("c")
	r := receiptstest.Receipt(receipts.ScenarioUpdate)
	junk := strings.Replace(string(signedReceipt(t, r, a)), `"signatures":[`, `"signatures":[{"keyid":"","sig":"!"},{"keyid":"x","sig":"AAAA"},`, 1)
	countersigned, err := receipts.Countersign(signedReceipt(t, r, a), b)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		raw       []byte
		keys      []receipts.Key
		threshold int
		want      receipts.Code
	}{
		{"one of one", signedReceipt(t, r, a), keysOf(a), 1, ""},
		{"threshold of none counts as one", signedReceipt(t, r, c), keysOf(a), 0, receipts.CodeSignatureInvalid},
		{"two of two", signedReceipt(t, r, a, b), keysOf(a, b), 2, ""},
		{"two of three", signedReceipt(t, r, a, c), keysOf(a, b, c), 2, ""},
		{"one of two", signedReceipt(t, r, a), keysOf(a, b), 2, receipts.CodeThreshold},
		{"one key signs twice", signedReceipt(t, r, a, a), keysOf(a, b), 2, receipts.CodeThreshold},
		{"one key is given twice", signedReceipt(t, r, a), keysOf(a, a), 2, receipts.CodeThreshold},
		{"one key signs twice and is given twice", signedReceipt(t, r, a, a), keysOf(a, a), 2, receipts.CodeThreshold},
		{"a stranger signs too", signedReceipt(t, r, c, a), keysOf(a, b), 1, ""},
		{"a stranger does not count", signedReceipt(t, r, c, a), keysOf(a, b), 2, receipts.CodeThreshold},
		{"junk signatures are passed over", []byte(junk), keysOf(a), 1, ""},
		{"countersigned", countersigned, keysOf(a, b), 2, ""},
		{"nobody signed", seal(t, receipts.PayloadType, takeApart(t, signedReceipt(t, r, a)).Payload), keysOf(a), 1, receipts.CodeNoSignature},
		{"nobody is trusted", signedReceipt(t, r, a), nil, 1, receipts.CodeSignatureInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document, err := receipts.Open(tt.raw, tt.keys, tt.threshold)
			if receipts.CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err == nil && len(document.SignedBy) < tt.threshold {
				t.Errorf("%d signers", len(document.SignedBy))
			}
		})
	}
}

// A key id is a hint: it may be missing, and it never makes a signature count.
func TestKeyIDIsAHint(t *testing.T) {
	t.Parallel()
	a, b := receiptstest.ECDSA("a"), receiptstest.ECDSA("b")
	raw := string(signedReceipt(t, receiptstest.Receipt(receipts.ScenarioUpdate), a))
	idA, idB := receiptstest.Public(a).ID(), receiptstest.Public(b).ID()
	if _, err := receipts.Open([]byte(strings.Replace(raw, idA, "", 1)), keysOf(b, a), 1); err != nil {
		t.Errorf("without key id: %v", err)
	}
	if _, err := receipts.Open([]byte(strings.Replace(raw, idA, idB, 1)), keysOf(a, b), 1); receipts.CodeOf(err) != receipts.CodeSignatureInvalid {
		t.Errorf("with the key id of another trusted key: %v", err)
	}
}

// No byte of an envelope can be changed, left out or cut off. Each byte is changed: inside the payload, where most changes
// cost the verification of a signature, in one bit; outside of it in every single bit, and into other values.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	for _, signer := range []crypto.Signer{receiptstest.ECDSA("a"), receiptstest.Ed25519("a")} {
		t.Run(fmt.Sprintf("%T", signer), func(t *testing.T) {
			t.Parallel()
			raw, keys := signedReceipt(t, small(), signer), keysOf(signer)
			if _, err := receipts.Open(raw, keys, 1); err != nil {
				t.Fatal(err)
			}
			refused := func(what string, at int, changed []byte) {
				if _, err := receipts.Open(changed, keys, 1); err == nil {
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

// padded is an envelope whose payload ends in padding.
func padded(t *testing.T, signer crypto.Signer) string {
	t.Helper()
	r := small()
	for range 3 {
		raw := string(signedReceipt(t, r, signer))
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
		want      receipts.Code
	}{
		{"nothing", "", receipts.CodeEnvelopeMalformed},
		{"two newlines", raw + "\n", receipts.CodeEnvelopeForm},
		{"two envelopes", raw + raw, receipts.CodeEnvelopeMalformed},
		{"indented", indented.String(), receipts.CodeEnvelopeForm},
		{"unknown member", strings.Replace(raw, `{"payloadType"`, `{"extra":1,"payloadType"`, 1), receipts.CodeEnvelopeMalformed},
		{"case-folded second payloadType", strings.Replace(raw, `,"payload"`, `,"PAYLOADTYPE":"evil","payload"`, 1), receipts.CodeEnvelopeMalformed},
		{"payload twice", strings.Replace(raw, `"signatures"`, `"payload":"e30=","signatures"`, 1), receipts.CodeEnvelopeMalformed},
		{"newline in the payload", strings.Replace(raw, `"payload":"`, `"payload":"\n`, 1), receipts.CodeEnvelopeMalformed},
		{"bare newline in the payload", strings.Replace(raw, `"payload":"`, "\"payload\":\"\n", 1), receipts.CodeEnvelopeMalformed},
		{"no padding", strings.Replace(raw, `=","signatures`, `","signatures`, 1), receipts.CodeEnvelopeMalformed},
		{"null signatures", raw[:strings.Index(raw, `"signatures"`)] + `"signatures":null}`, receipts.CodeEnvelopeMalformed},
		{"too many signatures", strings.Replace(raw, `"signatures":[`, `"signatures":[`+strings.Repeat(`{"keyid":"","sig":""},`, 16), 1), receipts.CodeEnvelopeMalformed},
		{"too large", raw + strings.Repeat(" ", receipts.MaxEnvelope), receipts.CodeTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := receipts.Open([]byte(tt.raw), keysOf(signer), 1); receipts.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A foreign envelope verifies once it is normalized: DSSE allows any JSON layout and both alphabets of base64.
func TestNormalize(t *testing.T) {
	t.Parallel()
	signer := receiptstest.ECDSA("a")
	raw := signedReceipt(t, receiptstest.Receipt(receipts.ScenarioUpdate), signer)
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
	if _, err := receipts.Open(foreign, keysOf(signer), 1); receipts.CodeOf(err) != receipts.CodeEnvelopeForm {
		t.Errorf("as it is: %v", err)
	}
	normal, err := receipts.Normalize(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := receipts.Open(normal, keysOf(signer), 1); err != nil {
		t.Errorf("normalized: %v", err)
	}
	for _, bad := range []string{`{}`, `[]`, strings.Replace(string(foreign), `"payload"`, `"PAYLOAD"`, 1), string(foreign) + "x"} {
		if _, err := receipts.Normalize([]byte(bad)); receipts.CodeOf(err) != receipts.CodeEnvelopeMalformed {
			t.Errorf("%.30q: %v", bad, err)
		}
	}
}

func TestRefusalsAreTyped(t *testing.T) {
	t.Parallel()
	_, err := receipts.Open([]byte("{}"), nil, 1)
	refusal, ok := errors.AsType[*receipts.Refusal](fmt.Errorf("input: %w", err))
	if !ok || refusal.Code != receipts.CodeEnvelopeMalformed || receipts.CodeOf(nil) != "" || receipts.CodeOf(errors.New("x")) != "" {
		t.Errorf("%v is no refusal", err)
	}
}

// An envelope is signed by somebody, and by no more than its readers look at.
func TestSignersOutOfBounds(t *testing.T) {
	t.Parallel()
	r := receiptstest.Receipt(receipts.ScenarioUpdate)
	if _, _, err := receipts.SignReceipt(r); err == nil || !strings.Contains(err.Error(), "want one signer or more") {
		t.Errorf("nobody: %v", err)
	}
	raw := signedReceipt(t, r, slices.Repeat([]crypto.Signer{signer()}, 16)...)
	if _, err := receipts.Open(raw, keysOf(signer()), 1); err != nil {
		t.Error(err)
	}
	if _, err := receipts.Countersign(raw, signer()); err == nil || !strings.Contains(err.Error(), "17 signatures in all") {
		t.Errorf("a seventeenth: %v", err)
	}
}

// Signatures without a key id are tried with each key, but not without end: junk in a large envelope must not cost
// minutes. Those of keys that are named still count.
func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	raw := string(signedReceipt(t, receiptstest.Receipt(receipts.ScenarioUpdate), receiptstest.Ed25519("last")))
	var keys []receipts.Key
	for i := range 10 {
		keys = append(keys, receiptstest.Public(receiptstest.Ed25519(fmt.Sprint(i))))
	}
	keys = append(keys, receiptstest.Public(receiptstest.Ed25519("last")))
	anonymous := strings.Replace(raw, keys[10].ID(), "", 1)
	junk := strings.Repeat(`{"keyid":"","sig":"`+strings.Repeat("A", 86)+`=="},`, 15)
	for name, tt := range map[string]struct {
		raw  string
		want receipts.Code
	}{
		"named":                {raw, ""},
		"anonymous":            {anonymous, ""},
		"named after junk":     {strings.Replace(raw, `"signatures":[`, `"signatures":[`+junk, 1), ""},
		"anonymous after junk": {strings.Replace(anonymous, `"signatures":[`, `"signatures":[`+junk, 1), receipts.CodeSignatureInvalid},
	} {
		if _, err := receipts.Open([]byte(tt.raw), keys, 1); receipts.CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// However many keys are trusted, each gets its turn.
func TestAnonymousSignatureOfManyKeys(t *testing.T) {
	t.Parallel()
	raw := string(signedReceipt(t, receiptstest.Receipt(receipts.ScenarioUpdate), receiptstest.ECDSA("last")))
	last := receiptstest.Public(receiptstest.ECDSA("last"))
	var keys []receipts.Key
	for i := range 50 {
		keys = append(keys, receiptstest.Public(receiptstest.ECDSA(fmt.Sprint(i))))
	}
	if _, err := receipts.Open([]byte(strings.Replace(raw, last.ID(), "", 1)), append(keys, last), 1); err != nil {
		t.Error(err)
	}
}
