package gate_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// envelopeVectors change the envelope around a signed receipt.
func envelopeVectors(t testing.TB) []vector {
	raw := specialSignature(t)
	id := receiptstest.Public(signer()).ID()
	text := string(raw)
	edit := func(old, replacement string) string { return string(receiptstest.Replace(t, raw, old, replacement)) }
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	o := receiptstest.ParseEnvelope(t, raw)
	sig := o.Signatures[0].Sig
	tests := []struct {
		name, description, origin string
		code                      refusal.Code
		text                      string
	}{
		{"indented", "The envelope is indented.", "", refusal.EnvelopeForm, indented.String()},
		{"space-in-front", "A space stands before the envelope.", "", refusal.EnvelopeForm, " " + text},
		{"carriage-return", "The line ends in CR LF.", "", refusal.EnvelopeForm, strings.TrimSuffix(text, "\n") + "\r\n"},
		{"members-in-another-order", "The payload stands before its type.", "", refusal.EnvelopeForm,
			fmt.Sprintf(`{"payload":"%s","payloadType":"%s","signatures":[{"keyid":"%s","sig":"%s"}]}`, base64.StdEncoding.EncodeToString(o.Payload), o.PayloadType, id, sig)},
		{"escaped-slash", "A slash in the payload type is escaped.", "", refusal.EnvelopeForm, edit(`application/vnd`, `application\/vnd`)},
		{"key-id-missing", "The signature has no member keyid.", "", refusal.EnvelopeForm, edit(`"keyid":"`+id+`",`, ``)},
		{"data-behind", "Something stands behind the envelope.", "", refusal.EnvelopeMalformed, text + "{}"},
		{"nul-behind", "A NUL stands behind the envelope.", "", refusal.EnvelopeMalformed, text + "\x00"},
		{"two-envelopes", "Two envelopes in one file.", "", refusal.EnvelopeMalformed, text + text},
		{"cut", "The envelope is cut short.", "", refusal.EnvelopeMalformed, text[:len(text)/2]},
		{"empty", "An empty file.", "", refusal.EnvelopeMalformed, ""},
		{"not-json", "No JSON.", "", refusal.EnvelopeMalformed, "PASSED"},
		{"not-utf-8", "No UTF-8.", "", refusal.EnvelopeMalformed, edit(o.PayloadType, "\xff")},
		{"a-list", "A list of envelopes.", "", refusal.EnvelopeMalformed, "[" + strings.TrimSuffix(text, "\n") + "]"},
		{"statement-bare", "The statement without an envelope.", "CVE-2026-39395", refusal.EnvelopeMalformed, string(o.Payload)},
		{"unknown-member", "A member that no envelope has.", "encoding/json into dsse.Envelope accepts it", refusal.EnvelopeMalformed, edit(`{"payloadType"`, `{"extra":1,"payloadType"`)},
		{"type-twice", "The payload type is there twice, once in capitals.", "encoding/json into dsse.Envelope accepts it; golang/go#48298", refusal.EnvelopeMalformed, edit(`{"payloadType"`, `{"PAYLOADTYPE":"evil","payloadType"`)},
		{"payload-twice", "The payload is there twice.", "golang/go#48298", refusal.EnvelopeMalformed, edit(`"signatures"`, `"payload":"e30=","signatures"`)},
		{"signatures-twice", "The signatures are there twice.", "golang/go#48298", refusal.EnvelopeMalformed, edit(`{"payloadType"`, `{"signatures":[],"payloadType"`)},
		{"newline-in-base64", "A line end stands in the payload's base64.", "go-securesystemslib: Go's base64 passes over line ends", refusal.EnvelopeMalformed, edit(`"payload":"`, `"payload":"\n`)},
		{"space-in-base64", "A space stands in the payload's base64.", "", refusal.EnvelopeMalformed, edit(`"payload":"`, `"payload":" `)},
		{"no-signatures", "The list of signatures is empty.", "", refusal.NoSignature, edit(`{"keyid":"`+id+`","sig":"`+sig+`"}`, ``)},
		{"null-signatures", "The signatures are null.", "", refusal.EnvelopeMalformed, text[:strings.Index(text, `"signatures"`)] + `"signatures":null}`},
		{"seventeen-signatures", "More signatures than an envelope may have.", "", refusal.EnvelopeMalformed, edit(`"signatures":[`, `"signatures":[`+strings.Repeat(`{"keyid":"","sig":""},`, 16))},
		{"signature-empty", "The signature is empty.", "", refusal.SignatureInvalid, edit(`"sig":"`+sig, `"sig":"`)},
		{"signature-of-another-receipt", "The signature is of another receipt.", "", refusal.SignatureInvalid, edit(sig, receiptstest.ParseEnvelope(t, receiptstest.SignedReceipt(t, smallReceipt("arm64"), signer())).Signatures[0].Sig)},
		{"signature-url-safe", "The signature is in URL-safe base64.", "", refusal.SignatureInvalid, edit(sig, strings.NewReplacer("+", "-", "/", "_").Replace(sig))},
		{"signature-unpadded", "The signature's padding is missing.", "", refusal.SignatureInvalid, edit(sig, strings.TrimRight(sig, "="))},
		{"signature-with-a-tail", "A byte follows the signature.", "", refusal.SignatureInvalid, edit(sig, longer(t, sig))},
		{"key-id-of-another", "The key id is another one's.", "", refusal.SignatureInvalid, edit(id, receiptstest.Public(receiptstest.ECDSA("stranger")).ID())},
		{"key-id-in-capitals", "The key id is in capitals.", "", refusal.SignatureInvalid, edit(id, strings.ToUpper(id))},
		{"key-id-of-the-trusted-key", "A stranger signs and names the trusted key's id.", "DSSE: key ids are not authenticated", refusal.SignatureInvalid,
			strings.Replace(string(receiptstest.SignedReceipt(t, smallReceipt("amd64"), receiptstest.ECDSA("stranger"))), receiptstest.Public(receiptstest.ECDSA("stranger")).ID(), id, 1)},
		{"type-changed", "The payload type was changed after signing.", "Rul1an/assay#1710", refusal.SignatureInvalid, edit(o.PayloadType, "application/json")},
		{"type-of-something-else", "Signed by the trusted key, as something else.", "Rul1an/assay#1710", refusal.PayloadType, string(receiptstest.Seal(t, "application/json", o.Payload, signer()))},
		{"type-empty", "Signed by the trusted key, without a payload type.", "Rul1an/assay#1710", refusal.PayloadType, string(receiptstest.Seal(t, "", o.Payload, signer()))},
		{"signed-without-pae", "The trusted key signed the payload itself, not its PAE.", "", refusal.SignatureInvalid, strings.Replace(text, sig, receiptstest.SignatureBy(t, signer(), o.Payload), 1)},
	}
	var vectors []vector
	for _, tt := range tests {
		v := newVector(t, "envelope/"+tt.name, tt.description)
		v.origin = tt.origin
		v.inputs = []gate.Input{{Name: updateFile, Raw: []byte(tt.text)}}
		v.reasons = nothingCounts()
		v.refused = map[string]refusal.Code{updateFile: tt.code}
		vectors = append(vectors, v)
	}
	return vectors
}

// specialSignature returns an envelope whose signature has padding and a character that the two base64 alphabets write
// differently.
func specialSignature(t testing.TB) []byte {
	t.Helper()
	r := smallReceipt("amd64")
	for range 20 {
		raw := receiptstest.SignedReceipt(t, r, signer())
		if sig := receiptstest.ParseEnvelope(t, raw).Signatures[0].Sig; strings.ContainsAny(sig, "+/") && strings.HasSuffix(sig, "=") {
			return raw
		}
		r.Run.Harness += "."
	}
	t.Fatal("no signature has such a letter")
	return nil
}

// longer adds a byte to a signature.
func longer(t testing.TB, sig string) string {
	t.Helper()
	decoded, err := base64.StdEncoding.DecodeString(sig)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(append(decoded, 0))
}

// statementVectors hold documents that the trusted key signed and that are no receipts.
func statementVectors(t testing.TB) []vector {
	r := receiptstest.Receipt(statement.ScenarioUpdate)
	result, err := attestation.SignTestResult(r, receiptstest.Digest("receipt"), signer())
	if err != nil {
		t.Fatal(err)
	}
	manifest := receiptstest.ParseEnvelope(t, receiptstest.SignedManifest(t, receiptstest.UpdateManifest(receiptstest.Digest("receipt")))).Payload
	tests := []struct {
		name, description, origin string
		code                      refusal.Code
		raw                       []byte
	}{
		{"test-result", "A test result, which says that all passed.", "CVE-2022-35929", refusal.NotEvidence, result},
		{"empty-payload", "An empty payload.", "CVE-2026-39395", refusal.StatementMalformed, receiptstest.Seal(t, dsse.PayloadType, nil, signer())},
		{"payload-no-json", "A payload that is no JSON.", "CVE-2026-39395", refusal.StatementMalformed, receiptstest.Seal(t, dsse.PayloadType, []byte("PASSED"), signer())},
		{"payload-cut", "A statement that is cut short.", "CVE-2026-39395", refusal.PredicateMalformed, receiptstest.Seal(t, dsse.PayloadType, updatePayload(t)[:3000], signer())},
		{"payload-twice", "Two statements in one payload.", "", refusal.PredicateMalformed, receiptstest.Seal(t, dsse.PayloadType, bytes.Repeat(updatePayload(t), 2), signer())},
		{"predicate-null", "A receipt that is null.", "", refusal.PredicateMalformed, statementOver(t, statement.ReceiptType, "null")},
		{"predicate-empty", "A receipt without members.", "", refusal.PredicateMalformed, statementOver(t, statement.ReceiptType, "{}")},
		{"predicate-deep", "A predicate that is nested without end.", "", refusal.StatementMalformed, statementOver(t, "x", strings.Repeat("[", 10000))},
		{"provenance", "Provenance of the candidate, not a receipt.", "CVE-2022-35929", refusal.PredicateType, statementOver(t, "https://slsa.dev/provenance/v1", `{"buildType":"x"}`)},
		{"manifest-cell-twice", "A manifest that has a cell twice.", "", refusal.ManifestInvalid, receiptstest.Seal(t, dsse.PayloadType, receiptstest.Replace(t, manifest, `"cells":[`, `"cells":[`+cellText(t, manifest)+`,`), signer())},
		{"manifest-no-cells", "A manifest without cells.", "", refusal.ManifestInvalid, receiptstest.Seal(t, dsse.PayloadType, receiptstest.Replace(t, manifest, `"cells":[`+cellText(t, manifest), `"cells":[`), signer())},
		{"manifest-subject", "A manifest about something else.", "", refusal.SubjectMismatch, receiptstest.Seal(t, dsse.PayloadType, receiptstest.Replace(t, manifest, `"name":"`+updateFile, `"name":"x`+updateFile), signer())},
		{"manifest-ends-before-it-begins", "A manifest that was finished before it was begun.", "", refusal.ManifestInvalid, receiptstest.Seal(t, dsse.PayloadType, receiptstest.Replace(t, manifest, `"startedAt":"2026`, `"startedAt":"2027`), signer())},
		{"manifest-without-run", "A manifest of no run.", "", refusal.ManifestInvalid, receiptstest.Seal(t, dsse.PayloadType, receiptstest.Replace(t, manifest, `"run":"run-amd64"`, `"run":""`), signer())},
	}
	var vectors []vector
	for _, tt := range tests {
		v := newVector(t, "statement/"+tt.name, tt.description)
		v.origin = tt.origin
		v.inputs = []gate.Input{{Name: updateFile, Raw: tt.raw}}
		v.reasons = nothingCounts()
		v.refused = map[string]refusal.Code{updateFile: tt.code}
		vectors = append(vectors, v)
	}
	return vectors
}

// cellText returns the only cell of a manifest as JSON.
func cellText(t testing.TB, manifest []byte) string {
	t.Helper()
	_, after, _ := strings.Cut(string(manifest), `"cells":[`)
	cell, _, found := strings.Cut(after, `]`)
	if !found {
		t.Fatal("no cells")
	}
	return cell
}

func statementOver(t testing.TB, predicateType, predicate string) []byte {
	t.Helper()
	payload := fmt.Sprintf(`{"_type":%q,"subject":[{"name":"candidate-image","digest":{"sha256":%q}}],"predicateType":%q,"predicate":%s}`,
		statement.StatementType, hexOf(candidateOf(statement.ScenarioUpdate)), predicateType, predicate)
	return receiptstest.Seal(t, dsse.PayloadType, []byte(payload), signer())
}
