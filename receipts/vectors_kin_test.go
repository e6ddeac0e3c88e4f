package receipts_test

import (
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
