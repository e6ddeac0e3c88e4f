package gate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// supersessionVectors show which receipts concern a candidate. The receipts of another candidate neither supersede nor
// replace those of the candidate. Its own receipts count under another index, and against it with a future time.
func supersessionVectors(t testing.TB) []vector {
	var vectors []vector
	add := func(name, description string, policy gate.Policy, reasons []refusal.Code, runs ...*receiptstest.Run) *vector {
		v := newVector(t, "kin/"+name, description)
		v.policy, v.inputs, v.reasons = policy, nil, reasons
		for _, run := range runs {
			v.inputs = append(v.inputs, named(run.ID+"/", signed(t, run))...)
		}
		vectors = append(vectors, v)
		return &vectors[len(vectors)-1]
	}
	loses := func(r *statement.Receipt) { receiptstest.At(r, statement.Candidate).Joins[1].Marker = "" }
	fails := func(r *statement.Receipt) { r.Fleet[0].Restarts = 1 }

	for name, spoil := range map[string]func(*statement.Receipt){"blocked": loses, "failed": fails} {
		code := map[string]refusal.Code{"blocked": refusal.CandidateBlocked, "failed": refusal.ScenarioFailed}[name]
		own := updateRun("amd64")
		spoil(&own.Receipts[0])
		other := receiptstest.RunOf("amd64", statement.ScenarioCompatibleRollback, statement.ScenarioUpdate)
		other.ID, other.Shift = "run-newer", 10*time.Minute
		replaceCandidate(other.Receipt(statement.ScenarioUpdate), "another-game", "")
		add("own-"+name+"-others-newer", "The candidate's update "+name+"; in a newer run another candidate's passed.",
			updatePolicy(), []refusal.Code{code, refusal.RequiredCellMissing}, own, other)
	}

	others := receiptstest.RunOf("amd64", statement.ScenarioCompatibleRollback, statement.ScenarioUpdate)
	replaceCandidate(others.Receipt(statement.ScenarioUpdate), "another-game", "")
	add("others-update", "The candidate passed a case of the suite, and another candidate the update that the policy wants.",
		updatePolicy(), []refusal.Code{refusal.RequiredCellMissing}, others)

	lost := updateRun("amd64")
	lost.ID, lost.Shift = "run-lost", 10*time.Minute
	replaceCandidate(&lost.Receipts[0], "index-1", "platform")
	loses(&lost.Receipts[0])
	again := updateRun("amd64")
	replaceCandidate(&again.Receipts[0], "index-2", "platform")
	v := add("same-bits-under-another-index", "The platform's image lost the world; under another index it passed, earlier.",
		updatePolicy(), []refusal.Code{refusal.CandidateBlocked}, again, lost)
	v.question.Candidate = receiptstest.Digest("index-2")

	ahead := updateRun("amd64")
	ahead.ID, ahead.Shift = "run-ahead", 3*time.Hour
	fails(&ahead.Receipts[0])
	v = add("failure-from-the-future", "A run failed, by a clock that is hours ahead.",
		updatePolicy(), []refusal.Code{refusal.FromTheFuture}, updateRun("amd64"), ahead)
	v.refused = map[string]refusal.Code{"run-ahead/" + updateFile: refusal.FromTheFuture, "run-ahead/" + manifestFile: refusal.FromTheFuture}

	v = add("missing-failure-from-the-future", "Of a run whose clock is hours ahead there is the manifest alone.",
		updatePolicy(), []refusal.Code{refusal.FromTheFuture}, updateRun("amd64"), ahead)
	v.inputs = slices.DeleteFunc(v.inputs, func(i gate.Input) bool { return i.Name == "run-ahead/"+updateFile })
	v.refused = map[string]refusal.Code{"run-ahead/" + manifestFile: refusal.FromTheFuture}

	v = add("missing-failure-from-the-future-covered", "The manifest of a run whose clock is hours ahead names the receipt of another run.",
		updatePolicy(), []refusal.Code{refusal.FromTheFuture}, updateRun("amd64"), ahead)
	other, err := attestation.ReadUnverified(v.inputs[0].Raw)
	if err != nil {
		t.Fatal(err)
	}
	v.inputs = slices.DeleteFunc(v.inputs, func(i gate.Input) bool { return i.Name == "run-ahead/"+updateFile })
	covered := manifestIn(t, v.inputs[2].Raw)
	covered.Cells[0].Receipt = other.Digest
	v.inputs[2].Raw = receiptstest.SignedManifest(t, covered)
	v.refused = map[string]refusal.Code{"run-ahead/" + manifestFile: refusal.FromTheFuture}

	// Two manifests of one run name the same receipt and disagree on its cell.
	for name, change := range map[string]func(m *statement.Manifest){
		"candidate": func(m *statement.Manifest) { m.Cells[0].Candidate = receiptstest.Digest("another-game") },
		"challenge": func(m *statement.Manifest) { m.Challenge = "another" },
		"time":      func(m *statement.Manifest) { m.FinishedAt = m.FinishedAt.Add(time.Second) },
	} {
		v = add("second-manifest-of-another-"+name, "A second manifest of the run, finished before the receipt was, names the same receipt and another "+name+".",
			updatePolicy(), []refusal.Code{refusal.CellContradicted}, updateRun("amd64"))
		second := manifestIn(t, v.inputs[1].Raw)
		if name != "time" {
			second.FinishedAt = second.StartedAt.Add(50 * time.Second) // the receipt is finished after 90 seconds
		}
		change(&second)
		v.inputs = append(v.inputs, gate.Input{Name: "second", Raw: receiptstest.SignedManifest(t, second)})
	}
	sameRun := updateRun("amd64")
	sameRun.Shift = 3 * time.Hour
	v = add("same-run-from-the-future", "Of one run there are two manifests and two receipts, one of each by a clock that is hours ahead.",
		updatePolicy(), []refusal.Code{refusal.CellContradicted}, updateRun("amd64"), sameRun)
	v.inputs[2].Name, v.inputs[3].Name = "ahead/"+updateFile, "ahead/"+manifestFile
	v.refused = map[string]refusal.Code{"ahead/" + updateFile: refusal.FromTheFuture, "ahead/" + manifestFile: refusal.FromTheFuture}

	later := pairRun("amd64")
	later.ID, later.Shift = "run-later", 20*time.Minute
	v = add("mismatched-self-test-of-before", "In an earlier run the manifest named a platform of the self-test that its receipt does not; a newer run is whole.",
		pairPolicy(), nil, pairRun("amd64"), later)
	unlike := manifestIn(t, v.inputs[2].Raw)
	for i := range unlike.Cells {
		if unlike.Cells[i].Scenario == statement.ScenarioHTTPOnly {
			unlike.Cells[i].Platform = receiptstest.Digest("platform")
		}
	}
	v.inputs[2].Raw = receiptstest.SignedManifest(t, unlike)

	// The same image under a separate index: a receipt that does not meet the question supersedes nothing.
	const index, platform = "index-1", "platform"
	of := func(id string, shift time.Duration, index, platform string, spoil func(*statement.Receipt)) *receiptstest.Run {
		run := updateRun("amd64")
		run.ID, run.Shift = id, shift
		replaceCandidate(&run.Receipts[0], index, platform)
		spoil(&run.Receipts[0])
		return run
	}
	asIs := func(*statement.Receipt) {}
	for name, demand := range map[string]func(*statement.Receipt, *vector){
		"template": func(r *statement.Receipt, v *vector) {
			r.Candidate.TemplateDigest, v.question.Template = receiptstest.Digest("template"), receiptstest.Digest("template")
			r.Fleet[0].Pending = ""
		},
		"bundle": func(r *statement.Receipt, v *vector) {
			r.Candidate.Bundle, v.question.Bundle = receiptstest.Digest("bundle"), receiptstest.Digest("bundle")
		},
		"fixture": func(r *statement.Receipt, v *vector) { r.Candidate.Fixture, v.policy.Fixtures = false, false },
	} {
		asked := newVector(t, "", "")
		meets := func(r *statement.Receipt) { demand(r, &asked) }
		v = add("failure-and-kin-of-another-"+name, "The candidate failed; its image passed later under another index, with another "+name+" than is asked for.",
			updatePolicy(), []refusal.Code{refusal.CandidateBlocked},
			of("run-pass", 0, index, platform, meets),
			of("run-lost", 5*time.Minute, index, platform, func(r *statement.Receipt) { meets(r); loses(r) }),
			of("run-kin", 10*time.Minute, "index-2", platform, asIs))
		v.question, v.policy = asked.question, asked.policy
		v.question.Candidate = receiptstest.Digest(index)
	}

	v = add("kin-known-by-a-manifest", "The candidate's image lost the world under another index; that it is the same image says only the manifest of a receipt that is not there.",
		updatePolicy(), []refusal.Code{refusal.CandidateBlocked},
		of("run-link", 0, index, platform, asIs),
		of("run-lost", 20*time.Minute, "index-2", platform, loses),
		of("run-pass", 10*time.Minute, index, "", asIs))
	v.inputs = v.inputs[1:]
	v.question.Candidate = receiptstest.Digest(index)

	mistaken := of("run-mistaken", 5*time.Minute, index, "", loses)
	later = receiptstest.RunOf("amd64", statement.ScenarioCompatibleRollback, statement.ScenarioUpdate)
	later.ID, later.Shift = "run-later", 10*time.Minute
	replaceCandidate(later.Receipt(statement.ScenarioCompatibleRollback), index, "")
	replaceCandidate(later.Receipt(statement.ScenarioUpdate), "another-game", "")
	v = add("failure-under-anothers-cell", "The candidate lost the world, and the manifest calls that cell another candidate's, which passed later.",
		updatePolicy(), []refusal.Code{refusal.CellMismatch}, of("run-pass", 0, index, "", asIs), mistaken, later)
	v.question.Candidate = receiptstest.Digest(index)
	for i := range v.inputs {
		if v.inputs[i].Name != mistaken.ID+"/"+manifestFile {
			continue
		}
		m := manifestIn(t, v.inputs[i].Raw)
		m.Cells[0].Candidate = receiptstest.Digest("another-game")
		v.inputs[i].Raw = receiptstest.SignedManifest(t, m)
	}

	unknown := updateRun("amd64")
	unknown.ID = "run-unknown"
	unknown.Receipts[0].Environment.ClusterUID = ""
	twice := updatePolicy()
	twice.Runs = 2
	add("cluster-unknown", "The policy wants two independent runs; one of the two does not say in which cluster it was.",
		twice, nothingCounts(), updateRun("amd64"), unknown)
	return vectors
}

// replaceCandidate replaces the candidate of a receipt. If platform is given, that image ran.
func replaceCandidate(r *statement.Receipt, image, platform string) {
	c := &r.Candidate
	c.Digest, c.TemplateDigest = receiptstest.Digest(image), receiptstest.Digest("template of "+image)
	c.Image = "registry:5000/game@" + c.Digest
	cp := receiptstest.At(r, statement.Candidate)
	cp.Revision, cp.Pod.Image, cp.Pod.ImageID = c.Digest, c.Image, c.Image
	r.Fleet[0].Pending = c.TemplateDigest
	if platform != "" {
		c.PlatformDigest = receiptstest.Digest(platform)
		cp.Pod.ImageID = "registry:5000/game@" + c.PlatformDigest
	}
}
