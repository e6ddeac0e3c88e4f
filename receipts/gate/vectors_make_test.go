package gate_test

import (
	"bytes"
	"crypto"
	"encoding/json"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// vector is a vector before it becomes a file.
type vector struct {
	name        string // group/name
	description string
	origin      string
	policy      gate.Policy
	trusted     []crypto.Signer
	question    gate.Question
	now         time.Time
	inputs      []gate.Input
	reasons     []refusal.Code
	refused     map[string]refusal.Code
}

// allVectors returns every vector.
func allVectors(t testing.TB) []vector {
	t.Helper()
	return slices.Concat(goodVectors(t), alteredVectors(t), lyingVectors(t), runVectors(t), supersessionVectors(t), policyVectors(t), envelopeVectors(t), statementVectors(t))
}

func (v vector) file(t testing.TB) []byte {
	t.Helper()
	out := receiptstest.Vector{
		Description: v.description, Origin: v.origin, Policy: v.policy, Question: v.question, Now: v.now,
		Keys:   []string{},
		Inputs: []receiptstest.VectorInput{},
		Expect: receiptstest.Expectation{Promote: len(v.reasons) == 0, Reasons: append([]refusal.Code{}, sorted(v.reasons)...), Refused: v.refused},
	}
	if out.Expect.Refused == nil {
		out.Expect.Refused = map[string]refusal.Code{}
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

// File names of a run of one update.
const (
	updateFile   = "update.amd64.intoto.json"
	httpFile     = "bad-image-http-only.amd64.intoto.json"
	manifestFile = "manifest.amd64.intoto.json"
)

// smallReceipt returns the smallest receipt of an update that passes, so that the vectors stay small.
func smallReceipt(architecture string) statement.Receipt {
	r := receiptstest.Observations(statement.ScenarioUpdate, architecture)
	for i := range r.Checkpoints {
		r.Checkpoints[i].Claims = r.Checkpoints[i].Claims[:1]
	}
	return r
}

func updateRun(architecture string) *receiptstest.Run {
	run := receiptstest.RunOf(architecture)
	run.Receipts = []statement.Receipt{smallReceipt(architecture)}
	return run
}

// pairRun returns a run of an update and a bad image.
func pairRun(architecture string) *receiptstest.Run {
	run := updateRun(architecture)
	run.Receipts = append(run.Receipts, receiptstest.Observations(statement.ScenarioHTTPOnly, architecture))
	return run
}

func updatePolicy() gate.Policy {
	return gate.Policy{
		Version:       gate.PolicyVersion,
		Architectures: []string{"amd64"},
		Scenarios:     []string{statement.ScenarioUpdate},
		Fixtures:      true,
	}
}

func pairPolicy() gate.Policy {
	p := updatePolicy()
	p.Scenarios = append(p.Scenarios, statement.ScenarioHTTPOnly)
	return p
}

// newVector returns a vector that promotes an update. Its callers change it.
func newVector(t testing.TB, name, description string) vector {
	return vector{
		name: name, description: description,
		policy:   updatePolicy(),
		trusted:  []crypto.Signer{signer()},
		question: gate.Question{Candidate: candidateOf(statement.ScenarioUpdate)},
		now:      now(),
		inputs:   signed(t, updateRun("amd64")),
	}
}

// nothingCounts returns the reasons for a hold if no receipt counts for the candidate, with further ones.
func nothingCounts(more ...refusal.Code) []refusal.Code {
	return append([]refusal.Code{refusal.CandidateNotRehearsed, refusal.RequiredCellMissing}, more...)
}

// signedAnew replaces the payload of the run's only receipt. It signs the new payload, and a manifest that names it, with
// the trusted key.
func signedAnew(t testing.TB, payload []byte) []gate.Input {
	t.Helper()
	raw := receiptstest.Seal(t, dsse.PayloadType, payload, signer())
	return []gate.Input{
		{Name: updateFile, Raw: raw},
		{Name: manifestFile, Raw: receiptstest.SignedManifest(t, receiptstest.UpdateManifest(statement.Digest(payload)))},
	}
}

func manifestIn(t testing.TB, raw []byte) statement.Manifest {
	t.Helper()
	document, err := attestation.ReadUnverified(raw)
	if err != nil {
		t.Fatal(err)
	}
	return *document.Manifest
}

func updatePayload(t testing.TB) []byte {
	t.Helper()
	return receiptstest.ParseEnvelope(t, receiptstest.SignedReceipt(t, smallReceipt("amd64"), signer())).Payload
}
