package evaluation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// spanGrain is the rounding of a span's length.
const spanGrain = time.Millisecond

// checkRun adds what must hold of a rehearsal as a whole.
func (c *history) checkRun(l *checklist) {
	l.hold("run-complete", "no fault", say("none"), c.faultProblem())
	l.hold("run-identified", "an id, a marker of 16 hex digits, a mods value, a beginning before the end",
		func() string { return "run " + c.Run.ID + ", marker " + c.Run.Marker }, c.runProblem())
	l.hold("revisions-pinned", "baseline and candidate by digest, and not the same",
		func() string { return c.Baseline.Digest + " and " + c.Candidate.Digest }, c.pinProblem())
	l.hold("spans-ordered", "phases in order, within the run, not overlapping",
		func() string { return strconv.Itoa(len(c.Spans)) + " phases" }, c.spanProblem())
	l.hold("operator-sound", "an operator that was not told to do wrong", say("no defect"), c.defectProblem())
	l.hold("journal-baseline-only", "the baseline's digest alone",
		func() string { return list(c.Journal.Admitted) }, c.journalProblem())
}

func (c *history) runProblem() string {
	run := c.Run
	switch {
	case run.ID == "" || run.Harness == "":
		return "no id of run or harness"
	case !isHex(run.Marker, 16):
		return fmt.Sprintf("marker %q", run.Marker)
	case run.CloneMods == "" || run.CloneMods == run.Marker:
		return fmt.Sprintf("mods value %q", run.CloneMods)
	case !statement.AtLeast(c.JoinDepth(), statement.Query):
		return fmt.Sprintf("depth %q", run.Depth)
	case run.StartedAt.IsZero() || run.FinishedAt.Before(run.StartedAt):
		return "finished before it started"
	}
	return ""
}

// defectProblem looks for the features by which a reference operator says that it is broken on purpose.
func (c *history) defectProblem() string {
	for _, feature := range c.Environment.Operator.Features {
		if strings.HasPrefix(feature, "defect=") {
			return feature
		}
	}
	return ""
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

func (c *history) pinProblem() string {
	for _, r := range []struct {
		name     string
		revision statement.Revision
	}{{"baseline", c.Baseline}, {"candidate", c.Candidate}} {
		switch {
		case !statement.IsDigest(r.revision.Digest):
			return r.name + ": no image digest"
		case !strings.HasSuffix(r.revision.Image, "@"+r.revision.Digest):
			return r.name + ": image reference " + r.revision.Image + " is not by its digest"
		case !statement.IsDigest(r.revision.TemplateDigest):
			return r.name + ": no template digest"
		case r.revision.PlatformDigest != "" && !statement.IsDigest(r.revision.PlatformDigest):
			return r.name + ": platform digest " + r.revision.PlatformDigest
		case r.revision.Bundle != "" && !statement.IsDigest(r.revision.Bundle):
			return r.name + ": bundle digest " + r.revision.Bundle
		}
	}
	if shareDigest(c.Candidate, c.Baseline) {
		return "the candidate is the baseline"
	}
	return ""
}

// shareDigest says whether one image may be both revisions, under whichever of its digests.
func shareDigest(r, other statement.Revision) bool {
	return r.Digest == other.Digest || r.Digest == other.PlatformDigest ||
		r.PlatformDigest != "" && (r.PlatformDigest == other.Digest || r.PlatformDigest == other.PlatformDigest)
}

func (c *history) spanProblem() string {
	if len(c.Spans) == 0 {
		return "no phases"
	}
	end := c.Run.StartedAt
	for _, span := range c.Spans {
		if span.Millis < 0 || span.Millis > maxSpanMillis {
			return fmt.Sprintf("%s takes %d ms", span.Name, span.Millis)
		}
		if span.Start.Before(end.Add(-spanGrain)) {
			return span.Name + " starts before the phase before it ends"
		}
		end = span.Start.Add(time.Duration(span.Millis) * time.Millisecond)
	}
	if end.After(c.Run.FinishedAt.Add(spanGrain)) {
		return "the last phase ends after the run"
	}
	return ""
}

// maxSpanMillis keeps a span's end within what time.Duration holds.
const maxSpanMillis = int64(365*24*time.Hour) / int64(time.Millisecond)

func (c *history) journalProblem() string {
	switch {
	case !slices.Equal(c.Journal.Admitted, []string{c.Baseline.Digest}):
		return "admitted: " + list(c.Journal.Admitted)
	case c.Journal.Entries < 1 || !statement.IsDigest(c.Journal.Head):
		return fmt.Sprintf("%d entries, head %q", c.Journal.Entries, c.Journal.Head)
	}
	return ""
}

// list writes strings for people, the first few of them.
func list(items []string) string {
	const few = 8
	switch {
	case len(items) == 0:
		return "none"
	case len(items) > few:
		return strings.Join(items[:few], ", ") + " and " + strconv.Itoa(len(items)-few) + " more"
	}
	return strings.Join(items, ", ")
}

// checkFleet adds what must hold of the members that the rehearsal must not touch.
func (c *history) checkFleet(l *checklist) {
	l.hold("fleet-untouched", "each untouched member kept one pod on the baseline, without a restart", c.describeFleet, c.fleetProblem())
	l.hold("fleet-watched", "each untouched member watched without a gap", say("no gap"), c.watchProblem())
	l.hold("fleet-not-adopted", "no member runs the candidate, whatever it was offered", say("not adopted"), c.adoptionProblem())
}

// maxFleet keeps the comparison of pods short, whatever a receipt says.
const maxFleet = 64

func (c *history) describeFleet() string {
	var members []string
	for _, member := range c.Fleet {
		members = append(members, member.Server+" kept pod "+list(member.PodUIDs))
	}
	return list(members)
}

func (c *history) fleetProblem() string {
	if n := len(c.Fleet); n == 0 || n > maxFleet {
		return fmt.Sprintf("%d members were watched, want 1 to %d", n, maxFleet)
	}
	for i, member := range c.Fleet {
		switch {
		case member.Server == "":
			return "a member has no name"
		case slices.ContainsFunc(c.Fleet[:i], func(earlier statement.Member) bool { return sameMember(member, earlier) }):
			return member.Server + " stands there twice, or in the pod of another member"
		case len(member.PodUIDs) != 1 || member.PodUIDs[0] == "":
			return member.Server + " had the pods " + list(member.PodUIDs)
		case member.Restarts != 0:
			return fmt.Sprintf("%s restarted %d times", member.Server, member.Restarts)
		case !c.Baseline.RunsAs(member.ImageID):
			return fmt.Sprintf("%s runs %q", member.Server, member.ImageID)
		case !member.Alive:
			return member.Server + " was not running at the end"
		}
	}
	return ""
}

// sameMember says whether two records speak of one member, or of one pod: the pod that replaced another one could hide in the
// second.
func sameMember(m, other statement.Member) bool {
	return m.Server == other.Server || slices.ContainsFunc(m.PodUIDs, func(uid string) bool { return slices.Contains(other.PodUIDs, uid) })
}

func (c *history) watchProblem() string {
	for _, member := range c.Fleet {
		if !member.Gapless {
			return "the watch on " + member.Server + " was broken"
		}
	}
	return ""
}

func (c *history) adoptionProblem() string {
	offered := []string{"", c.Candidate.Digest, c.Candidate.PlatformDigest, c.Candidate.Template, c.Candidate.TemplateDigest}
	for _, member := range c.Fleet {
		if c.Candidate.RunsAs(member.ImageID) {
			return member.Server + " runs the candidate"
		}
		if !slices.Contains(offered, member.Pending) {
			return fmt.Sprintf("%s was offered %q, which is not the candidate", member.Server, member.Pending)
		}
	}
	return ""
}
