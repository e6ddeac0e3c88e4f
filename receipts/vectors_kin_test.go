package receipts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// kinVectors are about which receipts speak of a candidate: another candidate's neither take back what was seen of it nor
// stand in for it, and its own are found under another index and by a clock that is ahead.
func kinVectors(t testing.TB) []vector {
	var vectors []vector
	add := func(name, description string, policy receipts.Policy, reasons []receipts.Code, runs ...*receiptstest.Run) *vector {
		v := newVector(t, "kin/"+name, description)
		v.policy, v.inputs, v.reasons = policy, nil, reasons
		for _, run := range runs {
			v.inputs = append(v.inputs, named(run.ID+"/", signed(t, run))...)
		}
		vectors = append(vectors, v)
		return &vectors[len(vectors)-1]
	}
	loses := func(r *receipts.Receipt) { at(r, receipts.Candidate).Joins[1].Marker = "" }
	fails := func(r *receipts.Receipt) { r.Fleet[0].Restarts = 1 }

	for name, spoil := range map[string]func(*receipts.Receipt){"blocked": loses, "failed": fails} {
		code := map[string]receipts.Code{"blocked": receipts.CodeCandidateBlocked, "failed": receipts.CodeScenarioFailed}[name]
		own := updateRun("amd64")
		spoil(&own.Receipts[0])
		other := receiptstest.RunOf("amd64", receipts.ScenarioCompatibleRollback, receipts.ScenarioUpdate)
		other.ID, other.Shift = "run-newer", 10*time.Minute
		remake(other.Receipt(receipts.ScenarioUpdate), "another-game", "")
		add("own-"+name+"-others-newer", "The candidate's update "+name+"; in a newer run another candidate's passed.",
			updatePolicy(), []receipts.Code{code, receipts.CodeRequiredCell}, own, other)
	}

	stand := receiptstest.RunOf("amd64", receipts.ScenarioCompatibleRollback, receipts.ScenarioUpdate)
	remake(stand.Receipt(receipts.ScenarioUpdate), "another-game", "")
	add("others-update", "The candidate passed a case of the suite, and another candidate the update that the policy wants.",
		updatePolicy(), []receipts.Code{receipts.CodeRequiredCell}, stand)

	lost := updateRun("amd64")
	lost.ID, lost.Shift = "run-lost", 10*time.Minute
	remake(&lost.Receipts[0], "index-1", "platform")
	loses(&lost.Receipts[0])
	again := updateRun("amd64")
	remake(&again.Receipts[0], "index-2", "platform")
	v := add("same-bits-under-another-index", "The platform's image lost the world; under another index it passed, earlier.",
		updatePolicy(), []receipts.Code{receipts.CodeCandidateBlocked}, again, lost)
	v.question.Candidate = receiptstest.Digest("index-2")

	ahead := updateRun("amd64")
	ahead.ID, ahead.Shift = "run-ahead", 3*time.Hour
	fails(&ahead.Receipts[0])
	v = add("failure-from-the-future", "A run failed, by a clock that is hours ahead.",
		updatePolicy(), []receipts.Code{receipts.CodeFromFuture}, updateRun("amd64"), ahead)
	v.refused = map[string]receipts.Code{"run-ahead/" + updateFile: receipts.CodeFromFuture, "run-ahead/" + manifestFile: receipts.CodeFromFuture}

	v = add("missing-failure-from-the-future", "Of a run whose clock is hours ahead there is the manifest alone.",
		updatePolicy(), []receipts.Code{receipts.CodeFromFuture}, updateRun("amd64"), ahead)
	v.inputs = slices.DeleteFunc(v.inputs, func(i receipts.Input) bool { return i.Name == "run-ahead/"+updateFile })
	v.refused = map[string]receipts.Code{"run-ahead/" + manifestFile: receipts.CodeFromFuture}

	v = add("missing-failure-from-the-future-covered", "The manifest of a run whose clock is hours ahead names the receipt of another run.",
		updatePolicy(), []receipts.Code{receipts.CodeFromFuture}, updateRun("amd64"), ahead)
	other, err := receipts.ReadUnverified(v.inputs[0].Raw)
	if err != nil {
		t.Fatal(err)
	}
	v.inputs = slices.DeleteFunc(v.inputs, func(i receipts.Input) bool { return i.Name == "run-ahead/"+updateFile })
	covered := manifestIn(t, v.inputs[2].Raw)
	covered.Cells[0].Receipt = other.Digest
	v.inputs[2].Raw = manifestOver(t, covered)
	v.refused = map[string]receipts.Code{"run-ahead/" + manifestFile: receipts.CodeFromFuture}

	// Two manifests of one run that name the same receipt, and disagree on what it is of.
	for name, change := range map[string]func(m *receipts.Manifest){
		"candidate": func(m *receipts.Manifest) { m.Cells[0].Candidate = receiptstest.Digest("another-game") },
		"challenge": func(m *receipts.Manifest) { m.Challenge = "another" },
		"time":      func(m *receipts.Manifest) { m.FinishedAt = m.FinishedAt.Add(time.Second) },
	} {
		v = add("second-manifest-of-another-"+name, "A second manifest of the run, finished before the receipt was, names the same receipt and another "+name+".",
			updatePolicy(), []receipts.Code{receipts.CodeCellContradicted}, updateRun("amd64"))
		second := manifestIn(t, v.inputs[1].Raw)
		if name != "time" {
			second.FinishedAt = second.StartedAt.Add(50 * time.Second) // the receipt is of second 90
		}
		change(&second)
		v.inputs = append(v.inputs, receipts.Input{Name: "second", Raw: manifestOver(t, second)})
	}
	sameRun := updateRun("amd64")
	sameRun.Shift = 3 * time.Hour
	v = add("same-run-from-the-future", "Of one run there are two manifests and two receipts, one of each by a clock that is hours ahead.",
		updatePolicy(), []receipts.Code{receipts.CodeCellContradicted}, updateRun("amd64"), sameRun)
	v.inputs[2].Name, v.inputs[3].Name = "ahead/"+updateFile, "ahead/"+manifestFile
	v.refused = map[string]receipts.Code{"ahead/" + updateFile: receipts.CodeFromFuture, "ahead/" + manifestFile: receipts.CodeFromFuture}

	later := pairRun("amd64")
	later.ID, later.Shift = "run-later", 20*time.Minute
	v = add("mismatched-self-test-of-before", "In an earlier run the manifest named a platform of the self-test that its receipt does not; a newer run is whole.",
		pairPolicy(), nil, pairRun("amd64"), later)
	unlike := manifestIn(t, v.inputs[2].Raw)
	for i := range unlike.Cells {
		if unlike.Cells[i].Scenario == receipts.ScenarioHTTPOnly {
			unlike.Cells[i].Platform = receiptstest.Digest("platform")
		}
	}
	v.inputs[2].Raw = manifestOver(t, unlike)

	// The same image under an index of its own: what does not meet the question takes nothing back.
	const index, platform = "index-1", "platform"
	of := func(id string, shift time.Duration, index, platform string, spoil func(*receipts.Receipt)) *receiptstest.Run {
		run := updateRun("amd64")
		run.ID, run.Shift = id, shift
		remake(&run.Receipts[0], index, platform)
		spoil(&run.Receipts[0])
		return run
	}
	asIs := func(*receipts.Receipt) {}
	for name, demand := range map[string]func(*receipts.Receipt, *vector){
		"template": func(r *receipts.Receipt, v *vector) {
			r.Candidate.TemplateDigest, v.question.Template = receiptstest.Digest("template"), receiptstest.Digest("template")
			r.Fleet[0].Pending = ""
		},
		"bundle": func(r *receipts.Receipt, v *vector) {
			r.Candidate.Bundle, v.question.Bundle = receiptstest.Digest("bundle"), receiptstest.Digest("bundle")
		},
		"fixture": func(r *receipts.Receipt, v *vector) { r.Candidate.Fixture, v.policy.Fixtures = false, false },
	} {
		asked := newVector(t, "", "")
		meets := func(r *receipts.Receipt) { demand(r, &asked) }
		v = add("failure-and-kin-of-another-"+name, "The candidate failed; its image passed later under another index, with another "+name+" than is asked for.",
			updatePolicy(), []receipts.Code{receipts.CodeCandidateBlocked},
			of("run-pass", 0, index, platform, meets),
			of("run-lost", 5*time.Minute, index, platform, func(r *receipts.Receipt) { meets(r); loses(r) }),
			of("run-kin", 10*time.Minute, "index-2", platform, asIs))
		v.question, v.policy = asked.question, asked.policy
		v.question.Candidate = receiptstest.Digest(index)
	}

	v = add("kin-known-by-a-manifest", "The candidate's image lost the world under another index; that it is the same image says only the manifest of a receipt that is not there.",
		updatePolicy(), []receipts.Code{receipts.CodeCandidateBlocked},
		of("run-link", 0, index, platform, asIs),
		of("run-lost", 20*time.Minute, "index-2", platform, loses),
		of("run-pass", 10*time.Minute, index, "", asIs))
	v.inputs = v.inputs[1:]
	v.question.Candidate = receiptstest.Digest(index)

	mistaken := of("run-mistaken", 5*time.Minute, index, "", loses)
	later = receiptstest.RunOf("amd64", receipts.ScenarioCompatibleRollback, receipts.ScenarioUpdate)
	later.ID, later.Shift = "run-later", 10*time.Minute
	remake(later.Receipt(receipts.ScenarioCompatibleRollback), index, "")
	remake(later.Receipt(receipts.ScenarioUpdate), "another-game", "")
	v = add("failure-under-anothers-cell", "The candidate lost the world, and the manifest calls that cell another candidate's, which passed later.",
		updatePolicy(), []receipts.Code{receipts.CodeCellMismatch}, of("run-pass", 0, index, "", asIs), mistaken, later)
	v.question.Candidate = receiptstest.Digest(index)
	for i := range v.inputs {
		if v.inputs[i].Name != mistaken.ID+"/"+manifestFile {
			continue
		}
		m := manifestIn(t, v.inputs[i].Raw)
		m.Cells[0].Candidate = receiptstest.Digest("another-game")
		v.inputs[i].Raw = manifestOver(t, m)
	}

	unknown := updateRun("amd64")
	unknown.ID = "run-unknown"
	unknown.Receipts[0].Environment.ClusterUID = ""
	twice := updatePolicy()
	twice.Runs = 2
	add("cluster-unknown", "The policy wants two independent runs; one of the two does not say in which cluster it was.",
		twice, notThere(), updateRun("amd64"), unknown)
	return vectors
}

// remake puts another image in the place of a receipt's candidate. A platform is the image that then ran.
func remake(r *receipts.Receipt, image, platform string) {
	c := &r.Candidate
	c.Digest, c.TemplateDigest = receiptstest.Digest(image), receiptstest.Digest("template of "+image)
	c.Image = "registry:5000/game@" + c.Digest
	cp := at(r, receipts.Candidate)
	cp.Revision, cp.Pod.Image, cp.Pod.ImageID = c.Digest, c.Image, c.Image
	r.Fleet[0].Pending = c.TemplateDigest
	if platform != "" {
		c.PlatformDigest = receiptstest.Digest(platform)
		cp.Pod.ImageID = "registry:5000/game@" + c.PlatformDigest
	}
}
