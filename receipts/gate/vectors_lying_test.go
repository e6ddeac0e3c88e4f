package gate_test

import (
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// lies are changes to the text of a receipt. The trusted key signs the changed receipt and its manifest, as a lying or
// broken harness does. The code says why the receipt is refused.
var lies = []struct {
	name, old, replacement string
	code                   refusal.Code
	origin                 string
}{
	{"verdict", `"verdict":"PASSED"`, `"verdict":"FAILED"`, refusal.VerdictMismatch, ""},
	{"verdict-unknown", `"verdict":"PASSED"`, `"verdict":"SKIPPED"`, refusal.VerdictMismatch, ""},
	{"disposition", `"disposition":"promotable/compatible-rollback"`, `"disposition":"promotable/restore-required"`, refusal.VerdictMismatch, ""},
	{"disposition-blocked", `"disposition":"promotable/compatible-rollback"`, `"disposition":"blocked/crash"`, refusal.VerdictMismatch, ""},
	{"check-not-ok", `"ok":true`, `"ok":false`, refusal.VerdictMismatch, ""},
	{"check-renamed", `"name":"run-complete"`, `"name":"run-finished"`, refusal.VerdictMismatch, ""},
	{"check-dropped", `{"name":"run-complete","ok":true},`, ``, refusal.VerdictMismatch, ""},
	{"check-that-holds-says-more", `{"name":"run-complete","ok":true}`, `{"name":"run-complete","ok":true,"got":"approved"}`, refusal.VerdictMismatch, ""},
	{"fleet-pod-replaced", `"podUIDs":["`, `"podUIDs":["another","`, refusal.VerdictMismatch, ""},
	{"fleet-restarted", `"restarts":0,"alive"`, `"restarts":1,"alive"`, refusal.VerdictMismatch, ""},
	{"fleet-gone", `"alive":true`, `"alive":false`, refusal.VerdictMismatch, ""},
	{"fleet-gap", `"gapless":true`, `"gapless":false`, refusal.VerdictMismatch, ""},
	{"join-shallow", `"depth":"HELD"`, `"depth":"JOINED"`, refusal.VerdictMismatch, ""},
	{"join-without-control", `"control":true`, `"control":false`, refusal.VerdictMismatch, ""},
	{"join-class", `"class":"ok"`, `"class":"kicked"`, refusal.VerdictMismatch, ""},
	{"marker-elsewhere", `"read":true,"marker":"0123456789abcdef"`, `"read":true,"marker":"ffffffffffffffff"`, refusal.VerdictMismatch, ""},
	{"claim-unread", `"read":true`, `"read":false`, refusal.VerdictMismatch, ""},
	{"world-made-anew", `"nonce":"`, `"nonce":"f`, refusal.VerdictMismatch, ""},
	{"outcome", `"outcome":"reached"`, `"outcome":"refused"`, refusal.VerdictMismatch, ""},
	{"snapshot", `"snapshot":"`, `"snapshot":"0`, refusal.VerdictMismatch, ""},
	{"restore-purpose", `"purpose":"seed"`, `"purpose":"rollback"`, refusal.VerdictMismatch, ""},
	{"journal-admitted", `"admitted":["`, `"admitted":["sha256:0000000000000000000000000000000000000000000000000000000000000000","`, refusal.VerdictMismatch, ""},
	{"span-overlap", `"millis":"20000"`, `"millis":"20002"`, refusal.VerdictMismatch, ""},
	{"scenario-unknown", `"scenario":"update"`, `"scenario":"upgrade"`, refusal.VerdictMismatch, ""},
	{"scenario-another", `"scenario":"update"`, `"scenario":"compatible-rollback"`, refusal.VerdictMismatch, ""},
	{"architecture", `"architecture":"amd64","emulated"`, `"architecture":"arm64","emulated"`, refusal.VerdictMismatch, ""},
	{"fault-passed-over", `"checks":[`, `"fault":{"class":"infrastructure","step":"","message":""},"checks":[`, refusal.VerdictMismatch, ""},

	{"unknown-field", `"harness":"v1.0.0"`, `"harness":"v1.0.0","waived":true`, refusal.PredicateMalformed, ""},
	{"doubled-field", `"emulated":false`, `"emulated":false,"emulated":true`, refusal.PredicateMalformed, "golang/go#48298"},
	{"case-folded-field", `"emulated":false`, `"emulated":false,"Emulated":true`, refusal.PredicateMalformed, "golang/go#48298"},
	{"missing-field", `"emulated":false,`, ``, refusal.PredicateMalformed, ""},
	{"null-field", `"emulated":false`, `"emulated":null`, refusal.PredicateMalformed, ""},
	{"mistyped-field", `"emulated":false`, `"emulated":"false"`, refusal.PredicateMalformed, ""},
	{"null-list", `"features":["onRequest","backup","restore"]`, `"features":null`, refusal.PredicateMalformed, ""},
	{"fraction", `"restarts":0`, `"restarts":0.5`, refusal.PredicateMalformed, ""},
	{"number-for-64-bits", `"millis":"20000"`, `"millis":20000`, refusal.PredicateMalformed, "protojson changes integers above 2^53 silently"},
	{"local-time", `"startedAt":"2026-11-11T09:00:00Z"`, `"startedAt":"2026-11-11T10:00:00+01:00"`, refusal.PredicateMalformed, ""},
	{"half-surrogate", `"harness":"v1.0.0"`, `"harness":"\ud800"`, refusal.PredicateMalformed, ""},

	{"subject-image", `"name":"candidate-image"`, `"name":"other"`, refusal.SubjectMismatch, "jdx/mise#9972"},
	{"subject-dropped", `{"name":"candidate-template","digest":{"sha256":"` + hexOf(candidateTemplate()) + `"}}`, ``, refusal.StatementMalformed, "sigstore-rs#596"},
	{"subject-added", `"subject":[`, `"subject":[{"name":"baseline","digest":{"sha256":"` + hexOf(receiptstest.Baseline().Digest) + `"}},`, refusal.SubjectMismatch, "sigstore-rs#596"},
	{"subject-digest", `"digest":{"sha256":"` + hexOf(candidateOf(statement.ScenarioUpdate)) + `"}`, `"digest":{"sha256":"` + hexOf(receiptstest.Baseline().Digest) + `"}`, refusal.SubjectMismatch, "jdx/mise#9972"},
	{"subject-digest-short", `"digest":{"sha256":"`, `"digest":{"sha256":"00`, refusal.StatementMalformed, ""},
	{"subject-digest-capitals", `"digest":{"sha256":"` + hexOf(candidateOf(statement.ScenarioUpdate))[:8], `"digest":{"sha256":"ABCDEF01`, refusal.StatementMalformed, ""},
	{"subject-digest-algorithm", `{"sha256":"`, `{"sha1":"`, refusal.StatementMalformed, ""},
	{"subject-two-algorithms", `{"sha256":"`, `{"arn":"x","sha256":"`, refusal.StatementMalformed, ""},
	{"no-subject", `"subject":[`, `"subject":[],"x":[`, refusal.StatementMalformed, ""},
	{"statement-v0.1", `"_type":"https://in-toto.io/Statement/v1"`, `"_type":"https://in-toto.io/Statement/v0.1"`, refusal.StatementType, "in-toto/attestation: Validate accepts the legacy v0.1"},
	{"statement-untyped", `"_type":"https://in-toto.io/Statement/v1"`, `"_type":""`, refusal.StatementType, "Rul1an/assay#1710"},
	{"predicate-of-another-type", `"predicateType":"` + statement.ReceiptType + `"`, `"predicateType":"https://slsa.dev/provenance/v1"`, refusal.PredicateType, "CVE-2022-35929, CVE-2026-39395"},
	{"predicate-of-a-newer-version", `rehearsal/receipt/v1"`, `rehearsal/receipt/v2"`, refusal.PredicateType, ""},
	{"predicate-is-a-manifest", `"predicateType":"` + statement.ReceiptType + `"`, `"predicateType":"` + statement.ManifestType + `"`, refusal.PredicateMalformed, "CVE-2026-39395"},
}

func hexOf(digest string) string { return digest[len("sha256:"):] }

func candidateTemplate() string {
	return receiptstest.Candidate(statement.ScenarioUpdate).TemplateDigest
}

func lyingVectors(t testing.TB) []vector {
	var vectors []vector
	payload := updatePayload(t)
	for _, lie := range lies {
		v := newVector(t, "lying/"+lie.name, "A receipt that the trusted key signed, changed before: "+lie.name+".")
		v.origin = lie.origin
		v.inputs = signedAnew(t, receiptstest.Replace(t, payload, lie.old, lie.replacement))
		v.reasons = nothingCounts(refusal.ReceiptRefused)
		v.refused = map[string]refusal.Code{updateFile: lie.code}
		vectors = append(vectors, v)
	}
	return vectors
}
