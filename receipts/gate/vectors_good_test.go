package gate_test

import (
	"bytes"
	"crypto"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// goodVectors are promoted. Without them, a gate that always holds would pass the vectors.
func goodVectors(t testing.TB) []vector {
	make := func(name, description string, change func(v *vector)) vector {
		v := newVector(t, "good/"+name, description)
		change(&v)
		return v
	}
	suite := signed(t, receiptstest.NewRun("amd64"))
	withRestore := []statement.Disposition{statement.CompatibleRollback, statement.RestoreRequired}
	return []vector{
		make("update", "A user's update with a compatible rollback.", func(*vector) {}),
		make("suite-compatible", "The whole suite; the candidate can be rolled back.", func(v *vector) {
			v.policy, v.inputs = suitePolicy(), suite
		}),
		make("suite-restore-allowed", "The whole suite; going back needs a restore, and the policy allows it.", func(v *vector) {
			v.policy, v.inputs = suitePolicy(), suite
			v.policy.Dispositions = withRestore
			v.question.Candidate = candidateOf(statement.ScenarioRestoreRequired)
		}),
		make("ed25519", "Signed with Ed25519.", func(v *vector) {
			v.trusted = []crypto.Signer{receiptstest.Ed25519("harness")}
			v.inputs = signedBy(t, updateRun("amd64"), v.trusted...)
		}),
		make("two-of-two", "The policy wants two keys, and two signed.", func(v *vector) {
			v.policy.Threshold = 2
			v.trusted = []crypto.Signer{signer(), receiptstest.Ed25519("second")}
			v.inputs = signedBy(t, updateRun("amd64"), v.trusted...)
		}),
		make("junk-signature-beside", "A signature that is no base64 stands before the good one and is passed over.", func(v *vector) {
			v.origin = "go-securesystemslib: one signature with bad base64 fails the whole envelope"
			v.inputs[0].Raw = receiptstest.Replace(t, v.inputs[0].Raw, `"signatures":[`, `"signatures":[{"keyid":"","sig":"!"},`)
		}),
		make("no-key-id", "The signature has no key id: it is a hint only.", func(v *vector) {
			v.inputs[0].Raw = receiptstest.Replace(t, v.inputs[0].Raw, receiptstest.Public(signer()).ID(), "")
		}),
		make("no-newline", "The newline at the end of the envelopes is missing.", func(v *vector) {
			for i, input := range v.inputs {
				v.inputs[i].Raw = input.Raw[:len(input.Raw)-1]
			}
		}),
		make("members-in-another-order", "The predicate stands before its type.", func(v *vector) {
			payload := updatePayload(t)
			kind := `"predicateType":"` + statement.ReceiptType + `",`
			payload = receiptstest.Replace(t, payload, kind, "")
			payload = append(payload[:len(payload)-1], ","+kind[:len(kind)-1]+"}"...)
			v.inputs = signedAnew(t, payload)
		}),
		make("spaces", "The payload is indented.", func(v *vector) {
			var indented bytes.Buffer
			if err := json.Indent(&indented, updatePayload(t), " ", "\t"); err != nil {
				t.Fatal(err)
			}
			v.inputs = signedAnew(t, append(indented.Bytes(), '\n'))
		}),
		make("reversed", "The inputs are in reverse order.", func(v *vector) { slices.Reverse(v.inputs) }),
		make("doubled", "Every input is there twice.", func(v *vector) { v.inputs = append(v.inputs, v.inputs...) }),
		make("two-architectures", "Two architectures, each with its own run.", func(v *vector) {
			v.policy.Architectures = []string{"amd64", "arm64"}
			v.inputs = append(v.inputs, signed(t, updateRun("arm64"))...)
		}),
		make("two-runs", "The policy wants two independent runs, and there are two.", func(v *vector) {
			v.policy.Runs = 2
			v.inputs = append(v.inputs, signed(t, secondRun(t))...)
		}),
		make("platform-digest", "The question names the digest of the platform's manifest.", func(v *vector) {
			v.inputs = signed(t, platformRun())
			v.question.Candidate = receiptstest.Digest("platform")
		}),
		make("challenge-met", "The run answers the gate's challenge.", func(v *vector) {
			run := updateRun("amd64")
			run.Challenge, v.question.Challenge, v.policy.Challenge = "nonce-1", "nonce-1", true
			v.inputs = signed(t, run)
		}),
		make("template-met", "The candidate was rehearsed with the template that it is to be promoted with.", func(v *vector) {
			v.question.Template = receiptstest.Candidate(statement.ScenarioUpdate).TemplateDigest
		}),
		make("failure-superseded", "A run failed, and a newer one passed.", func(v *vector) {
			failed := updateRun("amd64")
			failed.ID = "run-failed"
			failed.Receipts[0].Fleet[0].Restarts = 1
			passed := updateRun("amd64")
			passed.Shift = 30 * time.Minute
			v.inputs = append(named("failed/", signed(t, failed)), signed(t, passed)...)
		}),
		make("stranger-beside", "A document that no trusted key signed lies beside the others.", func(v *vector) {
			v.inputs = append(v.inputs, gate.Input{Name: "stranger", Raw: signedBy(t, updateRun("amd64"), receiptstest.ECDSA("stranger"))[0].Raw})
			v.refused = map[string]refusal.Code{"stranger": refusal.SignatureInvalid}
		}),
		make("at-the-age-limit", "Exactly as old as the policy allows.", func(v *vector) {
			v.policy.MaxAge = gate.Duration(time.Hour)
			v.now = receiptstest.Time().Add(90*time.Second + time.Hour)
		}),
		make("within-the-skew", "The harness's clock is ahead by less than the allowed skew.", func(v *vector) {
			v.now = receiptstest.Time().Add(-3 * time.Minute)
		}),
		overrideVector(t, "good/override", "An override waives the disposition, for this candidate and for a time.", func(*statement.Override) {}),
	}
}

func signedBy(t testing.TB, run *receiptstest.Run, signers ...crypto.Signer) []gate.Input {
	t.Helper()
	inputs, err := run.Sign(signers...)
	if err != nil {
		t.Fatal(err)
	}
	return inputs
}

// named puts a folder before the names of inputs.
func named(prefix string, inputs []gate.Input) []gate.Input {
	for i := range inputs {
		inputs[i].Name = prefix + inputs[i].Name
	}
	return inputs
}

// secondRun returns a run in another cluster.
func secondRun(testing.TB) *receiptstest.Run {
	run := updateRun("amd64")
	run.ID = "run-second"
	run.Receipts[0].Environment.ClusterUID = "another"
	return run
}

func platformRun() *receiptstest.Run {
	run := updateRun("amd64")
	r := &run.Receipts[0]
	r.Candidate.PlatformDigest = receiptstest.Digest("platform")
	receiptstest.At(r, statement.Candidate).Pod.ImageID = "registry:5000/game@" + r.Candidate.PlatformDigest
	return run
}

// overrideVector has a candidate that needs a restore, a policy that allows none, and an override that waives that.
func overrideVector(t testing.TB, name, description string, change func(o *statement.Override)) vector {
	v := newVector(t, name, description)
	run := receiptstest.RunOf("amd64", statement.ScenarioRestoreRequired)
	v.policy.Scenarios = []string{statement.ScenarioRestoreRequired}
	v.policy.OverrideKeys = []gate.PolicyKey{{PEM: string(receiptstest.Public(overrider()).PEM())}}
	v.question.Candidate = candidateOf(statement.ScenarioRestoreRequired)
	v.inputs = append(signed(t, run), gate.Input{Name: "override", Raw: signedOverride(t, change, overrider())})
	return v
}

func overrider() crypto.Signer { return receiptstest.Ed25519("release manager") }

func goodOverride() statement.Override {
	return statement.Override{
		Candidate: candidateOf(statement.ScenarioRestoreRequired),
		Waives:    []refusal.Code{refusal.DispositionNotAllowed},
		By:        "release manager",
		Reason:    "the maintenance window allows for a restore",
		IssuedAt:  receiptstest.Time(),
		ExpiresAt: receiptstest.Time().Add(24 * time.Hour),
	}
}

func signedOverride(t testing.TB, change func(o *statement.Override), signers ...crypto.Signer) []byte {
	t.Helper()
	o := goodOverride()
	change(&o)
	raw, _, err := attestation.SignOverride(o, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
