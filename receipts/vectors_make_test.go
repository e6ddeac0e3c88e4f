package receipts_test

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
	"unicode/utf8"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// vector is a vector in the making.
type vector struct {
	name        string // group/name
	description string
	origin      string
	policy      receipts.Policy
	trusted     []crypto.Signer
	question    receipts.Question
	now         time.Time
	inputs      []receipts.Input
	reasons     []receipts.Code
	refused     map[string]receipts.Code
}

// allVectors makes every vector.
func allVectors(t testing.TB) []vector {
	t.Helper()
	return slices.Concat(goodVectors(t), alteredVectors(t), lyingVectors(t), runVectors(t), kinVectors(t), policyVectors(t), envelopeVectors(t), statementVectors(t))
}

func (v vector) file(t testing.TB) []byte {
	t.Helper()
	out := receiptstest.Vector{
		Description: v.description, Origin: v.origin, Policy: v.policy, Question: v.question, Now: v.now,
		Keys:   []string{},
		Inputs: []receiptstest.VectorInput{},
		Expect: receiptstest.Expectation{Promote: len(v.reasons) == 0, Reasons: append([]receipts.Code{}, sorted(v.reasons)...), Refused: v.refused},
	}
	if out.Expect.Refused == nil {
		out.Expect.Refused = map[string]receipts.Code{}
	}
	for _, signer := range v.trusted {
		out.Keys = append(out.Keys, string(receiptstest.Public(signer).PEM()))
	}
	for _, input := range v.inputs {
		made := receiptstest.VectorInput{Name: input.Name, Text: string(input.Raw)}
		if !utf8.Valid(input.Raw) {
			made = receiptstest.VectorInput{Name: input.Name, Binary: input.Raw}
		}
		out.Inputs = append(out.Inputs, made)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Names of the files of a run of one update.
const (
	updateFile   = "update.amd64.intoto.json"
	httpFile     = "bad-image-http-only.amd64.intoto.json"
	manifestFile = "manifest.amd64.intoto.json"
)

// frugal is the receipt of an update with as little in it as passes, to keep the vectors small.
func frugal(architecture string) receipts.Receipt {
	r := receiptstest.Observations(receipts.ScenarioUpdate, architecture)
	for i := range r.Checkpoints {
		r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:1]
	}
	return r
}

func updateRun(architecture string) *receiptstest.Run {
	run := receiptstest.RunOf(architecture)
	run.Receipts = []receipts.Receipt{frugal(architecture)}
	return run
}

// pairRun is a run of an update and of a bad image.
func pairRun(architecture string) *receiptstest.Run {
	run := updateRun(architecture)
	run.Receipts = append(run.Receipts, receiptstest.Observations(receipts.ScenarioHTTPOnly, architecture))
	return run
}

func updatePolicy() receipts.Policy {
	return receipts.Policy{
		Version:       receipts.PolicyVersion,
		Architectures: []string{"amd64"},
		Scenarios:     []string{receipts.ScenarioUpdate},
		Fixtures:      true,
	}
}

func pairPolicy() receipts.Policy {
	p := updatePolicy()
	p.Scenarios = append(p.Scenarios, receipts.ScenarioHTTPOnly)
	return p
}

// newVector is a promotion of an update, to be spoiled.
func newVector(t testing.TB, name, description string) vector {
	return vector{
		name: name, description: description,
		policy:   updatePolicy(),
		trusted:  []crypto.Signer{signer()},
		question: receipts.Question{Candidate: candidateOf(receipts.ScenarioUpdate)},
		now:      now(),
		inputs:   signed(t, updateRun("amd64")),
	}
}

// notThere are the reasons for a hold where nothing counts for the candidate.
func notThere(more ...receipts.Code) []receipts.Code {
	return append([]receipts.Code{receipts.CodeNotRehearsed, receipts.CodeRequiredCell}, more...)
}

// seal is DSSE as the specification has it, written apart from the package's own: it signs what the package would not.
func seal(t testing.TB, payloadType string, payload []byte, signers ...crypto.Signer) []byte {
	t.Helper()
	var sigs []string
	for _, signer := range signers {
		message := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
		sigs = append(sigs, `{"keyid":"`+receiptstest.Public(signer).ID()+`","sig":"`+signatureBy(t, signer, message)+`"}`)
	}
	return []byte(`{"payloadType":"` + payloadType + `","payload":"` + base64.StdEncoding.EncodeToString(payload) +
		`","signatures":[` + strings.Join(sigs, ",") + "]}\n")
}

func signatureBy(t testing.TB, signer crypto.Signer, message []byte) string {
	t.Helper()
	hash := crypto.Hash(0)
	if receiptstest.Public(signer).Algorithm() == receipts.ECDSAP256 {
		sum := sha256.Sum256(message)
		message, hash = sum[:], crypto.SHA256
	}
	sig, err := signer.Sign(nil, message, hash)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sig)
}

// opened is an envelope taken apart.
type opened struct {
	PayloadType string `json:"payloadType"`
	Payload     []byte `json:"payload"`
	Signatures  []struct {
		KeyID string `json:"keyid"`
		Sig   string `json:"sig"`
	} `json:"signatures"`
}

func takeApart(t testing.TB, raw []byte) opened {
	t.Helper()
	var o opened
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// withPayload puts another payload under the signatures that are there.
func withPayload(t testing.TB, raw, payload []byte) []byte {
	t.Helper()
	old := base64.StdEncoding.EncodeToString(takeApart(t, raw).Payload)
	return []byte(strings.Replace(string(raw), old, base64.StdEncoding.EncodeToString(payload), 1))
}

// replaced changes a text in one place.
func replaced(t testing.TB, text []byte, old, replacement string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("there is no %s in %s", old, text)
	}
	return bytes.Replace(text, []byte(old), []byte(replacement), 1)
}

// signedAnew puts another payload in place of the run's only receipt, signs it with the trusted key, and signs a
// manifest that names it: everything is signed by the right hand.
func signedAnew(t testing.TB, payload []byte) []receipts.Input {
	t.Helper()
	raw := seal(t, receipts.PayloadType, payload, signer())
	return []receipts.Input{
		{Name: updateFile, Raw: raw},
		{Name: manifestFile, Raw: manifestOver(t, updateManifest(receipts.Digest(payload)))},
	}
}

func updateManifest(receipt string) receipts.Manifest {
	return receipts.Manifest{
		Run: "run-amd64", Harness: "v1.0.0", StartedAt: receiptstest.Time(), FinishedAt: receiptstest.Time().Add(100 * time.Second),
		Cells: []receipts.Cell{{
			Architecture: "amd64", Scenario: receipts.ScenarioUpdate, Candidate: candidateOf(receipts.ScenarioUpdate),
			File: updateFile, Receipt: receipt,
		}},
	}
}

func manifestOver(t testing.TB, m receipts.Manifest) []byte {
	t.Helper()
	raw, _, err := receipts.SignManifest(m, signer())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func manifestIn(t testing.TB, raw []byte) receipts.Manifest {
	t.Helper()
	document, err := receipts.ReadUnverified(raw)
	if err != nil {
		t.Fatal(err)
	}
	return *document.Manifest
}

func updatePayload(t testing.TB) []byte {
	t.Helper()
	return takeApart(t, signedReceipt(t, frugal("amd64"), signer())).Payload
}
