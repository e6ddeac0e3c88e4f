package receipts_test

import (
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// lies are changes of a receipt's text that the trusted key then signs, manifest included: a harness that lies, or one
// that has a fault. The code is why the receipt is refused.
var lies = []struct {
	name, old, replacement string
	code                   receipts.Code
	origin                 string
}{
	{"verdict", `"verdict":"PASSED"`, `"verdict":"FAILED"`, receipts.CodeVerdictMismatch, ""},
	{"verdict-unknown", `"verdict":"PASSED"`, `"verdict":"SKIPPED"`, receipts.CodeVerdictMismatch, ""},
	{"disposition", `"disposition":"promotable/compatible-rollback"`, `"disposition":"promotable/restore-required"`, receipts.CodeVerdictMismatch, ""},
	{"disposition-blocked", `"disposition":"promotable/compatible-rollback"`, `"disposition":"blocked/crash"`, receipts.CodeVerdictMismatch, ""},
	{"check-not-ok", `"ok":true`, `"ok":false`, receipts.CodeVerdictMismatch, ""},
	{"check-renamed", `"name":"run-complete"`, `"name":"run-finished"`, receipts.CodeVerdictMismatch, ""},
	{"check-dropped", `{"name":"run-complete","ok":true},`, ``, receipts.CodeVerdictMismatch, ""},
	{"check-that-holds-says-more", `{"name":"run-complete","ok":true}`, `{"name":"run-complete","ok":true,"got":"approved"}`, receipts.CodeVerdictMismatch, ""},
	{"fleet-pod-replaced", `"podUIDs":["`, `"podUIDs":["another","`, receipts.CodeVerdictMismatch, ""},
	{"fleet-restarted", `"restarts":0,"alive"`, `"restarts":1,"alive"`, receipts.CodeVerdictMismatch, ""},
	{"fleet-gone", `"alive":true`, `"alive":false`, receipts.CodeVerdictMismatch, ""},
	{"fleet-gap", `"gapless":true`, `"gapless":false`, receipts.CodeVerdictMismatch, ""},
	{"join-shallow", `"depth":"HELD"`, `"depth":"JOINED"`, receipts.CodeVerdictMismatch, ""},
	{"join-without-control", `"control":true`, `"control":false`, receipts.CodeVerdictMismatch, ""},
	{"join-class", `"class":"ok"`, `"class":"kicked"`, receipts.CodeVerdictMismatch, ""},
	{"marker-elsewhere", `"read":true,"marker":"0123456789abcdef"`, `"read":true,"marker":"ffffffffffffffff"`, receipts.CodeVerdictMismatch, ""},
	{"claim-unread", `"read":true`, `"read":false`, receipts.CodeVerdictMismatch, ""},
	{"world-made-anew", `"nonce":"`, `"nonce":"f`, receipts.CodeVerdictMismatch, ""},
	{"outcome", `"outcome":"reached"`, `"outcome":"refused"`, receipts.CodeVerdictMismatch, ""},
	{"snapshot", `"snapshot":"`, `"snapshot":"0`, receipts.CodeVerdictMismatch, ""},
	{"restore-purpose", `"purpose":"seed"`, `"purpose":"rollback"`, receipts.CodeVerdictMismatch, ""},
	{"journal-admitted", `"admitted":["`, `"admitted":["sha256:0000000000000000000000000000000000000000000000000000000000000000","`, receipts.CodeVerdictMismatch, ""},
	{"span-overlap", `"millis":"20000"`, `"millis":"20002"`, receipts.CodeVerdictMismatch, ""},
	{"scenario-unknown", `"scenario":"update"`, `"scenario":"upgrade"`, receipts.CodeVerdictMismatch, ""},
	{"scenario-another", `"scenario":"update"`, `"scenario":"compatible-rollback"`, receipts.CodeVerdictMismatch, ""},
	{"architecture", `"architecture":"amd64","emulated"`, `"architecture":"arm64","emulated"`, receipts.CodeVerdictMismatch, ""},
	{"fault-passed-over", `"checks":[`, `"fault":{"class":"infrastructure","step":"","message":""},"checks":[`, receipts.CodeVerdictMismatch, ""},

	{"unknown-field", `"harness":"v1.0.0"`, `"harness":"v1.0.0","waived":true`, receipts.CodePredicateMalformed, ""},
	{"doubled-field", `"emulated":false`, `"emulated":false,"emulated":true`, receipts.CodePredicateMalformed, "golang/go#48298"},
	{"case-folded-field", `"emulated":false`, `"emulated":false,"Emulated":true`, receipts.CodePredicateMalformed, "golang/go#48298"},
	{"missing-field", `"emulated":false,`, ``, receipts.CodePredicateMalformed, ""},
	{"null-field", `"emulated":false`, `"emulated":null`, receipts.CodePredicateMalformed, ""},
	{"mistyped-field", `"emulated":false`, `"emulated":"false"`, receipts.CodePredicateMalformed, ""},
	{"null-list", `"features":["onRequest","backup","restore"]`, `"features":null`, receipts.CodePredicateMalformed, ""},
	{"fraction", `"restarts":0`, `"restarts":0.5`, receipts.CodePredicateMalformed, ""},
	{"number-for-64-bits", `"millis":"20000"`, `"millis":20000`, receipts.CodePredicateMalformed, "protojson changes integers above 2^53 silently"},
	{"local-time", `"startedAt":"2026-11-11T09:00:00Z"`, `"startedAt":"2026-11-11T10:00:00+01:00"`, receipts.CodePredicateMalformed, ""},
	{"half-surrogate", `"harness":"v1.0.0"`, `"harness":"\ud800"`, receipts.CodePredicateMalformed, ""},

	{"subject-image", `"name":"candidate-image"`, `"name":"other"`, receipts.CodeSubjectMismatch, "jdx/mise#9972"},
	{"subject-dropped", `{"name":"candidate-template","digest":{"sha256":"` + hexOf(candidateTemplate()) + `"}}`, ``, receipts.CodeStatementMalformed, "sigstore-rs#596"},
	{"subject-added", `"subject":[`, `"subject":[{"name":"baseline","digest":{"sha256":"` + hexOf(receiptstest.Baseline().Digest) + `"}},`, receipts.CodeSubjectMismatch, "sigstore-rs#596"},
	{"subject-digest", `"digest":{"sha256":"` + hexOf(candidateOf(receipts.ScenarioUpdate)) + `"}`, `"digest":{"sha256":"` + hexOf(receiptstest.Baseline().Digest) + `"}`, receipts.CodeSubjectMismatch, "jdx/mise#9972"},
	{"subject-digest-short", `"digest":{"sha256":"`, `"digest":{"sha256":"00`, receipts.CodeStatementMalformed, ""},
	{"subject-digest-capitals", `"digest":{"sha256":"` + hexOf(candidateOf(receipts.ScenarioUpdate))[:8], `"digest":{"sha256":"ABCDEF01`, receipts.CodeStatementMalformed, ""},
	{"subject-digest-algorithm", `{"sha256":"`, `{"sha1":"`, receipts.CodeStatementMalformed, ""},
	{"subject-two-algorithms", `{"sha256":"`, `{"arn":"x","sha256":"`, receipts.CodeStatementMalformed, ""},
	{"no-subject", `"subject":[`, `"subject":[],"x":[`, receipts.CodeStatementMalformed, ""},
	{"statement-v0.1", `"_type":"https://in-toto.io/Statement/v1"`, `"_type":"https://in-toto.io/Statement/v0.1"`, receipts.CodeStatementType, "in-toto/attestation: Validate accepts the legacy v0.1"},
	{"statement-untyped", `"_type":"https://in-toto.io/Statement/v1"`, `"_type":""`, receipts.CodeStatementType, "Rul1an/assay#1710"},
	{"predicate-of-another-type", `"predicateType":"` + receipts.ReceiptType + `"`, `"predicateType":"https://slsa.dev/provenance/v1"`, receipts.CodePredicateType, "CVE-2022-35929, CVE-2026-39395"},
	{"predicate-of-a-newer-version", `rehearsal/receipt/v1"`, `rehearsal/receipt/v2"`, receipts.CodePredicateType, ""},
	{"predicate-is-a-manifest", `"predicateType":"` + receipts.ReceiptType + `"`, `"predicateType":"` + receipts.ManifestType + `"`, receipts.CodePredicateMalformed, "CVE-2026-39395"},
}

func hexOf(digest string) string { return digest[len("sha256:"):] }

func candidateTemplate() string {
	return receiptstest.Candidate(receipts.ScenarioUpdate).TemplateDigest
}

func lyingVectors(t testing.TB) []vector {
	var vectors []vector
	payload := updatePayload(t)
	for _, lie := range lies {
		v := newVector(t, "lying/"+lie.name, "A receipt that the trusted key signed, changed before: "+lie.name+".")
		v.origin = lie.origin
		v.inputs = signedAnew(t, replaced(t, payload, lie.old, lie.replacement))
		v.reasons = notThere(receipts.CodeReceiptRefused)
		v.refused = map[string]receipts.Code{updateFile: lie.code}
		vectors = append(vectors, v)
	}
	return vectors
}
