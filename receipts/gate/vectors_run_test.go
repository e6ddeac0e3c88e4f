package gate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// runVectors drop, duplicate and swap the documents of a run.
func runVectors(t testing.TB) []vector {
	vectors := slices.Concat(droppedVectors(t), swappedVectors(t), failedVectors(t))
	make := func(name, description string, change func(v *vector)) {
		v := newVector(t, "run/"+name, description)
		change(&v)
		vectors = append(vectors, v)
	}
	make("empty", "No input at all.", func(v *vector) {
		v.origin = "conforma/policy: a no-op when no attestation exists; Kyverno: [].all() is true"
		v.inputs, v.reasons = nil, nothingCounts(refusal.NoEvidence)
	})
	make("other-candidate", "A complete run, of another candidate than the one asked about.", func(v *vector) {
		v.origin = "CVE-2022-35929; jdx/mise#9972"
		v.question.Candidate = receiptstest.Digest("another game")
		v.reasons = nothingCounts()
	})
	make("baseline-asked", "The baseline ran in every rehearsal, and is no candidate.", func(v *vector) {
		v.question.Candidate = receiptstest.Baseline().Digest
		v.reasons = nothingCounts()
	})
	make("template-asked", "The template's digest is a subject, but not an image.", func(v *vector) {
		v.question.Candidate = candidateTemplate()
		v.reasons = nothingCounts()
	})
	make("no-candidate", "The question names no digest.", func(v *vector) {
		v.question.Candidate = "game:latest"
		v.reasons = nothingCounts(refusal.CandidateMalformed)
	})
	make("cell-without-receipt", "The run says itself that it did not get to write the receipt.", func(v *vector) {
		v.inputs = []gate.Input{{Name: manifestFile, Raw: receiptstest.SignedManifest(t, receiptstest.UpdateManifest(""))}}
		v.reasons = nothingCounts(refusal.ReceiptMissing)
	})
	make("other-signer", "Signed by a key that is not trusted.", func(v *vector) {
		v.origin = "jdx/mise#9260"
		v.inputs = signedBy(t, updateRun("amd64"), receiptstest.ECDSA("stranger"))
		v.reasons = nothingCounts()
		v.refused = map[string]refusal.Code{updateFile: refusal.SignatureInvalid, manifestFile: refusal.SignatureInvalid}
	})
	make("manifest-by-a-stranger", "The receipt is good; a stranger signed the manifest.", func(v *vector) {
		v.inputs[1] = signedBy(t, updateRun("amd64"), receiptstest.ECDSA("stranger"))[1]
		v.reasons = nothingCounts(refusal.ManifestMissing)
		v.refused = map[string]refusal.Code{manifestFile: refusal.SignatureInvalid}
	})
	make("unlisted-receipt", "A second receipt of the run, that its manifest does not name.", func(v *vector) {
		more := signed(t, pairRun("amd64"))
		v.inputs = append(v.inputs, more[1])
		v.reasons = []refusal.Code{refusal.ReceiptUnlisted}
	})
	make("second-receipt-of-a-cell", "Another receipt of a cell, from the same run: one of them is not true.", func(v *vector) {
		run := updateRun("amd64")
		run.Receipts[0].Run.Harness = "v1.0.1"
		v.inputs = append(v.inputs, named("second/", signed(t, run)[:1])...)
		v.reasons = []refusal.Code{refusal.CellContradicted}
	})
	make("second-manifest", "Two manifests of one run disagree.", func(v *vector) {
		run := updateRun("amd64")
		run.Receipts[0].Run.Harness = "v1.0.1"
		v.inputs = append(v.inputs, named("second/", signed(t, run))...)
		v.reasons = []refusal.Code{refusal.CellContradicted}
	})
	make("bad-image-passed", "A bad image's receipt is PASSED because the image was blocked.", func(v *vector) {
		v.policy, v.inputs = pairPolicy(), signed(t, pairRun("amd64"))
		v.policy.Scenarios = []string{statement.ScenarioHTTPOnly}
		v.question.Candidate = candidateOf(statement.ScenarioHTTPOnly)
		v.reasons = nothingCounts(refusal.CandidateBlocked)
	})
	make("scenario-not-run", "The policy wants a scenario that the run did not play.", func(v *vector) {
		v.policy = pairPolicy()
		v.reasons = []refusal.Code{refusal.RequiredCellMissing}
	})
	make("architecture-not-run", "The policy wants an architecture on which nothing ran.", func(v *vector) {
		v.policy.Architectures = []string{"amd64", "arm64"}
		v.reasons = nothingCounts()
	})
	make("scenario-of-an-unrelated-run", "The other scenario passed, but in a run that did not rehearse the candidate.", func(v *vector) {
		v.policy = pairPolicy()
		other := receiptstest.RunOf("amd64", statement.ScenarioHTTPOnly)
		other.ID = "run-other"
		v.inputs = append(v.inputs, named("other/", signed(t, other))...)
		v.reasons = []refusal.Code{refusal.RequiredCellMissing}
	})
	return vectors
}

func droppedVectors(t testing.TB) []vector {
	var vectors []vector
	suite := signed(t, receiptstest.NewRun("amd64"))
	for i, input := range suite {
		v := newVector(t, "run/dropped-"+input.Name, "A run without "+input.Name+".")
		v.policy, v.question.Candidate = suitePolicy(), candidateOf(statement.ScenarioCompatibleRollback)
		v.inputs = slices.Delete(slices.Clone(suite), i, i+1)
		v.reasons = []refusal.Code{refusal.ReceiptMissing, refusal.RequiredCellMissing}
		if input.Name == statement.ReceiptFile(statement.ScenarioCompatibleRollback, "amd64") {
			v.reasons = nothingCounts(refusal.ReceiptMissing)
		}
		if input.Name == manifestFile {
			v.reasons = nothingCounts(refusal.ManifestMissing)
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// swappedVectors replace a receipt with one of another run, architecture, scenario or candidate.
func swappedVectors(t testing.TB) []vector {
	var vectors []vector
	add := func(name, description string, reasons []refusal.Code, inputs []gate.Input) {
		v := newVector(t, "run/swapped-"+name, description)
		v.inputs, v.reasons = inputs, reasons
		vectors = append(vectors, v)
	}
	own, other := signed(t, updateRun("amd64")), signed(t, secondRun(t))
	arm := updateRun("arm64")
	arm.ID = "run-amd64"
	armed := signed(t, arm)
	add("between-runs", "The receipt of another run lies in the place of the run's own.",
		nothingCounts(refusal.ManifestMissing, refusal.ReceiptMissing), []gate.Input{other[0], own[1]})
	add("between-architectures", "The receipt of another architecture lies in the place of the run's own.",
		nothingCounts(refusal.ReceiptUnlisted, refusal.ReceiptMissing), []gate.Input{armed[0], own[1]})

	// The manifest names the wrong receipt, and the trusted key signed it.
	misnamed := func(receipt []byte, change func(m *statement.Manifest)) []gate.Input {
		m := receiptstest.UpdateManifest(statement.Digest(receiptstest.ParseEnvelope(t, receipt).Payload))
		if change != nil {
			change(&m)
		}
		return []gate.Input{{Name: updateFile, Raw: receipt}, {Name: manifestFile, Raw: receiptstest.SignedManifest(t, m)}}
	}
	add("run-in-the-manifest", "The manifest names a receipt of another run.",
		nothingCounts(refusal.CellMismatch, refusal.ManifestMissing), misnamed(other[0].Raw, nil))
	add("architecture-in-the-manifest", "The manifest names a receipt of another architecture.",
		nothingCounts(refusal.CellMismatch, refusal.ReceiptUnlisted), misnamed(armed[0].Raw, nil))
	add("scenario-in-the-manifest", "The manifest names a receipt of another scenario.",
		nothingCounts(refusal.CellMismatch, refusal.ReceiptUnlisted), misnamed(signed(t, pairRun("amd64"))[1].Raw, nil))
	add("candidate-in-the-manifest", "The manifest says that the receipt is of another candidate.",
		nothingCounts(refusal.CellMismatch), misnamed(own[0].Raw, func(m *statement.Manifest) {
			m.Cells[0].Candidate = receiptstest.Digest("another game")
		}))
	add("challenge-in-the-manifest", "The manifest names another challenge than the receipt.",
		nothingCounts(refusal.CellMismatch), misnamed(own[0].Raw, func(m *statement.Manifest) { m.Challenge = "nonce-1" }))
	add("time-in-the-manifest", "The receipt was finished after its manifest.",
		nothingCounts(refusal.CellMismatch), misnamed(own[0].Raw, func(m *statement.Manifest) {
			m.FinishedAt = receiptstest.Time().Add(time.Minute)
		}))
	return vectors
}

// failedVectors hold because of what a trusted receipt says.
func failedVectors(t testing.TB) []vector {
	var vectors []vector
	add := func(name, description, origin string, reasons []refusal.Code, inputs []gate.Input) {
		v := newVector(t, "failed/"+name, description)
		v.policy, v.origin, v.inputs, v.reasons = pairPolicy(), origin, inputs, reasons
		vectors = append(vectors, v)
	}
	spoil := func(scenario string, change func(r *statement.Receipt)) *receiptstest.Run {
		run := pairRun("amd64")
		change(run.Receipt(scenario))
		return run
	}
	restart := func(r *statement.Receipt) { r.Fleet[0].Restarts = 1 }
	add("candidate", "The candidate's case failed, and the receipt is signed.", "tektoncd/chains#484",
		nothingCounts(refusal.ScenarioFailed), signed(t, spoil(statement.ScenarioUpdate, restart)))
	add("self-test", "The harness failed to block a bad image: what it says of others is worth nothing.", "",
		[]refusal.Code{refusal.RequiredCellMissing, refusal.ScenarioFailed}, signed(t, spoil(statement.ScenarioHTTPOnly, restart)))
	add("fault", "The infrastructure failed: nothing is known of the candidate.", "",
		nothingCounts(refusal.ScenarioError), signed(t, spoil(statement.ScenarioUpdate, func(r *statement.Receipt) {
			r.Fault = &statement.Fault{Class: statement.FaultInfrastructure}
		})))
	add("watch-gap", "The watch on the fleet was broken.", "",
		nothingCounts(refusal.ScenarioInconclusive), signed(t, spoil(statement.ScenarioUpdate, func(r *statement.Receipt) { r.Fleet[0].Gapless = false })))
	add("candidate-blocked", "The update was honestly rehearsed, and the candidate lost the world.", "",
		nothingCounts(refusal.CandidateBlocked), signed(t, spoil(statement.ScenarioUpdate, func(r *statement.Receipt) {
			receiptstest.At(r, statement.Candidate).Joins[1].Marker = ""
		})))

	newer := spoil(statement.ScenarioUpdate, restart)
	newer.ID, newer.Shift = "run-newer", 10*time.Minute
	add("newer-run", "A run passed; a newer one failed and revokes it.", "kyverno/kyverno#4116, akuity/kargo#5144",
		[]refusal.Code{refusal.ScenarioFailed}, append(signed(t, pairRun("amd64")), named("newer/", signed(t, newer))...))
	add("newer-run-first", "The same, with the failed run in front.", "kyverno/kyverno#4116",
		[]refusal.Code{refusal.ScenarioFailed}, append(named("newer/", signed(t, newer)), signed(t, pairRun("amd64"))...))
	add("newer-run-dropped", "The newer run's failed receipt is dropped: its manifest shows that it is missing.", "",
		[]refusal.Code{refusal.ReceiptMissing}, append(signed(t, pairRun("amd64")), named("newer/", signed(t, newer)[1:])...))
	add("newer-manifest-dropped", "The newer run's manifest is dropped: nobody can tell what else it saw.", "",
		[]refusal.Code{refusal.ManifestMissing}, append(signed(t, pairRun("amd64")), named("newer/", signed(t, newer)[:2])...))
	same := spoil(statement.ScenarioUpdate, restart)
	same.ID = "run-same"
	add("same-time", "Two runs of the same time, one of them failed: neither is newer.", "",
		[]refusal.Code{refusal.ScenarioFailed}, append(signed(t, pairRun("amd64")), named("same/", signed(t, same))...))
	return vectors
}
