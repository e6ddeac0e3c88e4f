package receipts_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// envelopeVectors change the envelope around a signed receipt.
func envelopeVectors(t testing.TB) []vector {
	raw := specialSignature(t)
	id := receiptstest.Public(signer()).ID()
	text := string(raw)
	edit := func(old, replacement string) string { return string(replaced(t, raw, old, replacement)) }
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	o := takeApart(t, raw)
	sig := o.Signatures[0].Sig
	tests := []struct {
		name, description, origin string
		code                      receipts.Code
		text                      string
	}{
		{"indented", "The envelope is indented.", "", receipts.CodeEnvelopeForm, indented.String()},
		{"space-in-front", "A space stands before the envelope.", "", receipts.CodeEnvelopeForm, " " + text},
		{"carriage-return", "The line ends in CR LF.", "", receipts.CodeEnvelopeForm, strings.TrimSuffix(text, "\n") + "\r\n"},
		{"members-in-another-order", "The payload stands before its type.", "", receipts.CodeEnvelopeForm,
			fmt.Sprintf(`{"payload":"%s","payloadType":"%s","signatures":[{"keyid":"%s","sig":"%s"}]}`, base64.StdEncoding.EncodeToString(o.Payload), o.PayloadType, id, sig)},
		{"escaped-slash", "A slash in the payload type is escaped.", "", receipts.CodeEnvelopeForm, edit(`application/vnd`, `application\/vnd`)},
		{"key-id-missing", "The signature has no member keyid.", "", receipts.CodeEnvelopeForm, edit(`"keyid":"`+id+`",`, ``)},
		{"data-behind", "Something stands behind the envelope.", "", receipts.CodeEnvelopeMalformed, text + "{}"},
		{"nul-behind", "A NUL stands behind the envelope.", "", receipts.CodeEnvelopeMalformed, text + "\x00"},
		{"two-envelopes", "Two envelopes in one file.", "", receipts.CodeEnvelopeMalformed, text + text},
		{"cut", "The envelope is cut short.", "", receipts.CodeEnvelopeMalformed, text[:len(text)/2]},
		{"empty", "An empty file.", "", receipts.CodeEnvelopeMalformed, ""},
		{"not-json", "No JSON.", "", receipts.CodeEnvelopeMalformed, "PASSED"},
		{"not-utf-8", "No UTF-8.", "", receipts.CodeEnvelopeMalformed, edit(o.PayloadType, "\xff")},
		{"a-list", "A list of envelopes.", "", receipts.CodeEnvelopeMalformed, "[" + strings.TrimSuffix(text, "\n") + "]"},
		{"statement-bare", "The statement without an envelope.", "CVE-2026-39395", receipts.CodeEnvelopeMalformed, string(o.Payload)},
		{"unknown-member", "A member that no envelope has.", "encoding/json into dsse.Envelope accepts it", receipts.CodeEnvelopeMalformed, edit(`{"payloadType"`, `{"extra":1,"payloadType"`)},
		{"type-twice", "The payload type is there twice, once in capitals.", "encoding/json into dsse.Envelope accepts it; golang/go#48298", receipts.CodeEnvelopeMalformed, edit(`{"payloadType"`, `{"PAYLOADTYPE":"evil","payloadType"`)},
		{"payload-twice", "The payload is there twice.", "golang/go#48298", receipts.CodeEnvelopeMalformed, edit(`"signatures"`, `"payload":"e30=","signatures"`)},
		{"signatures-twice", "The signatures are there twice.", "golang/go#48298", receipts.CodeEnvelopeMalformed, edit(`{"payloadType"`, `{"signatures":[],"payloadType"`)},
		{"newline-in-base64", "A line end stands in the payload's base64.", "go-securesystemslib: Go's base64 passes over line ends", receipts.CodeEnvelopeMalformed, edit(`"payload":"`, `"payload":"\n`)},
		{"space-in-base64", "A space stands in the payload's base64.", "", receipts.CodeEnvelopeMalformed, edit(`"payload":"`, `"payload":" `)},
		{"no-signatures", "The list of signatures is empty.", "", receipts.CodeNoSignature, edit(`{"keyid":"`+id+`","sig":"`+sig+`"}`, ``)},
		{"null-signatures", "The signatures are null.", "", receipts.CodeEnvelopeMalformed, text[:strings.Index(text, `"signatures"`)] + `"signatures":null}`},
		{"seventeen-signatures", "More signatures than an envelope may have.", "", receipts.CodeEnvelopeMalformed, edit(`"signatures":[`, `"signatures":[`+strings.Repeat(`{"keyid":"","sig":""},`, 16))},
		{"signature-empty", "The signature is empty.", "", receipts.CodeSignatureInvalid, edit(`"sig":"`+sig, `"sig":"`)},
		{"signature-of-another-receipt", "The signature is of another receipt.", "", receipts.CodeSignatureInvalid, edit(sig, takeApart(t, signedReceipt(t, frugal("arm64"), signer())).Signatures[0].Sig)},
		{"signature-url-safe", "The signature is in URL-safe base64.", "", receipts.CodeSignatureInvalid, edit(sig, strings.NewReplacer("+", "-", "/", "_").Replace(sig))},
		{"signature-unpadded", "The signature's padding is missing.", "", receipts.CodeSignatureInvalid, edit(sig, strings.TrimRight(sig, "="))},
		{"signature-with-a-tail", "A byte follows the signature.", "", receipts.CodeSignatureInvalid, edit(sig, longer(t, sig))},
		{"key-id-of-another", "The key id is another one's.", "", receipts.CodeSignatureInvalid, edit(id, receiptstest.Public(receiptstest.ECDSA("stranger")).ID())},
		{"key-id-in-capitals", "The key id is in capitals.", "", receipts.CodeSignatureInvalid, edit(id, strings.ToUpper(id))},
		{"key-id-of-the-trusted-key", "A stranger signs and names the trusted key's id.", "DSSE: key ids are not authenticated", receipts.CodeSignatureInvalid,
			strings.Replace(string(signedReceipt(t, frugal("amd64"), receiptstest.ECDSA("stranger"))), receiptstest.Public(receiptstest.ECDSA("stranger")).ID(), id, 1)},
		{"type-changed", "The payload type was changed after signing.", "Rul1an/assay#1710", receipts.CodeSignatureInvalid, edit(o.PayloadType, "application/json")},
		{"type-of-something-else", "Signed by the trusted key, as something else.", "Rul1an/assay#1710", receipts.CodePayloadType, string(seal(t, "application/json", o.Payload, signer()))},
		{"type-empty", "Signed by the trusted key, without a payload type.", "Rul1an/assay#1710", receipts.CodePayloadType, string(seal(t, "", o.Payload, signer()))},
		{"signed-without-pae", "The trusted key signed the payload itself, not its PAE.", "", receipts.CodeSignatureInvalid, strings.Replace(text, sig, signatureBy(t, signer(), o.Payload), 1)},
	}
	var vectors []vector
	for _, tt := range tests {
		v := newVector(t, "envelope/"+tt.name, tt.description)
		v.origin = tt.origin
		v.inputs = []receipts.Input{{Name: updateFile, Raw: []byte(tt.text)}}
		v.reasons = notThere()
		v.refused = map[string]receipts.Code{updateFile: tt.code}
		vectors = append(vectors, v)
	}
	return vectors
}

// specialSignature is an envelope whose signature is padded, and has a letter that the two alphabets of base64 write
// differently.
func specialSignature(t testing.TB) []byte {
	t.Helper()
	r := frugal("amd64")
	for range 20 {
		raw := signedReceipt(t, r, signer())
		if sig := takeApart(t, raw).Signatures[0].Sig; strings.ContainsAny(sig, "+/") && strings.HasSuffix(sig, "=") {
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

// statementVectors sign, with the trusted key, what is no receipt.
func statementVectors(t testing.TB) []vector {
	r := receiptstest.Receipt(receipts.ScenarioUpdate)
	result, err := receipts.SignTestResult(r, receiptstest.Digest("receipt"), signer())
	if err != nil {
		t.Fatal(err)
	}
	manifest := takeApart(t, manifestOver(t, updateManifest(receiptstest.Digest("receipt")))).Payload
	tests := []struct {
		name, description, origin string
		code                      receipts.Code
		raw                       []byte
	}{
		{"test-result", "A test result, which says that all passed.", "CVE-2022-35929", receipts.CodeNotEvidence, result},
		{"empty-payload", "An empty payload.", "CVE-2026-39395", receipts.CodeStatementMalformed, seal(t, receipts.PayloadType, nil, signer())},
		{"payload-no-json", "A payload that is no JSON.", "CVE-2026-39395", receipts.CodeStatementMalformed, seal(t, receipts.PayloadType, []byte("PASSED"), signer())},
		{"payload-cut", "A statement that is cut short.", "CVE-2026-39395", receipts.CodePredicateMalformed, seal(t, receipts.PayloadType, updatePayload(t)[:3000], signer())},
		{"payload-twice", "Two statements in one payload.", "", receipts.CodePredicateMalformed, seal(t, receipts.PayloadType, bytes.Repeat(updatePayload(t), 2), signer())},
		{"predicate-null", "A receipt that is null.", "", receipts.CodePredicateMalformed, statementOver(t, receipts.ReceiptType, "null")},
		{"predicate-empty", "A receipt without members.", "", receipts.CodePredicateMalformed, statementOver(t, receipts.ReceiptType, "{}")},
		{"predicate-deep", "A predicate that is nested without end.", "", receipts.CodeStatementMalformed, statementOver(t, "x", strings.Repeat("[", 10000))},
		{"provenance", "Provenance of the candidate, not a receipt.", "CVE-2022-35929", receipts.CodePredicateType, statementOver(t, "https://slsa.dev/provenance/v1", `{"buildType":"x"}`)},
		{"manifest-cell-twice", "A manifest that has a cell twice.", "", receipts.CodeManifestInvalid, seal(t, receipts.PayloadType, replaced(t, manifest, `"cells":[`, `"cells":[`+cellText(t, manifest)+`,`), signer())},
		{"manifest-no-cells", "A manifest without cells.", "", receipts.CodeManifestInvalid, seal(t, receipts.PayloadType, replaced(t, manifest, `"cells":[`+cellText(t, manifest), `"cells":[`), signer())},
		{"manifest-subject", "A manifest about something else.", "", receipts.CodeSubjectMismatch, seal(t, receipts.PayloadType, replaced(t, manifest, `"name":"`+updateFile, `"name":"x`+updateFile), signer())},
		{"manifest-ends-before-it-begins", "A manifest that was finished before it was begun.", "", receipts.CodeManifestInvalid, seal(t, receipts.PayloadType, replaced(t, manifest, `"startedAt":"2026`, `"startedAt":"2027`), signer())},
		{"manifest-without-run", "A manifest of no run.", "", receipts.CodeManifestInvalid, seal(t, receipts.PayloadType, replaced(t, manifest, `"run":"run-amd64"`, `"run":""`), signer())},
	}
	var vectors []vector
	for _, tt := range tests {
		v := newVector(t, "statement/"+tt.name, tt.description)
		v.origin = tt.origin
		v.inputs = []receipts.Input{{Name: updateFile, Raw: tt.raw}}
		v.reasons = notThere()
		v.refused = map[string]receipts.Code{updateFile: tt.code}
		vectors = append(vectors, v)
	}
	return vectors
}

// cellText is the only cell of a manifest's payload.
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
		receipts.StatementType, hexOf(candidateOf(receipts.ScenarioUpdate)), predicateType, predicate)
	return seal(t, receipts.PayloadType, []byte(payload), signer())
}
