package evaluation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// spanGrain is the unit to which the length of a span is rounded.
const spanGrain = time.Millisecond

// checkRun adds the checks of the rehearsal as a whole.
func (h *history) checkRun(l *checklist) {
	l.require("run-complete", "no fault", constant("none"), h.faultProblem())
	l.require("run-identified", "an id, a marker of 16 hex digits, a mods value, a beginning before the end",
		func() string { return "run " + h.Run.ID + ", marker " + h.Run.Marker }, h.runProblem())
	l.require("revisions-pinned", "baseline and candidate by digest, and not the same",
		func() string { return h.Baseline.Digest + " and " + h.Candidate.Digest }, h.pinProblem())
	l.require("spans-ordered", "phases in order, within the run, not overlapping",
		func() string { return strconv.Itoa(len(h.Spans)) + " phases" }, h.spanProblem())
	l.require("operator-sound", "an operator that was not told to do wrong", constant("no defect"), h.defectProblem())
	l.require("journal-baseline-only", "the baseline's digest alone",
		func() string { return list(h.Journal.Admitted) }, h.journalProblem())
}

func (h *history) runProblem() string {
	run := h.Run
	switch {
	case run.ID == "" || run.Harness == "":
		return "no id of run or harness"
	case !isHex(run.Marker, 16):
		return fmt.Sprintf("marker %q", run.Marker)
	case run.CloneMods == "" || run.CloneMods == run.Marker:
		return fmt.Sprintf("mods value %q", run.CloneMods)
	case !statement.AtLeast(h.JoinDepth(), statement.Query):
		return fmt.Sprintf("depth %q", run.Depth)
	case run.StartedAt.IsZero() || run.FinishedAt.Before(run.StartedAt):
		return "finished before it started"
	}
	return ""
}

// defectProblem looks for a feature with which the reference operator announces a defect on purpose.
func (h *history) defectProblem() string {
	for _, feature := range h.Environment.Operator.Features {
		if strings.HasPrefix(feature, "defect=") {
			return feature
		}
	}
	return ""
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

func (h *history) pinProblem() string {
	for _, r := range []struct {
		name     string
		revision statement.Revision
	}{{"baseline", h.Baseline}, {"candidate", h.Candidate}} {
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
	if shareDigest(h.Candidate, h.Baseline) {
		return "the candidate is the baseline"
	}
	return ""
}

// shareDigest says whether two revisions may be the same image, by any of their digests.
func shareDigest(r, other statement.Revision) bool {
	return r.Digest == other.Digest || r.Digest == other.PlatformDigest ||
		r.PlatformDigest != "" && (r.PlatformDigest == other.Digest || r.PlatformDigest == other.PlatformDigest)
}

func (h *history) spanProblem() string {
	if len(h.Spans) == 0 {
		return "no phases"
	}
	end := h.Run.StartedAt
	for _, span := range h.Spans {
		if span.Millis < 0 || span.Millis > maxSpanMillis {
			return fmt.Sprintf("%s takes %d ms", span.Name, span.Millis)
		}
		if span.Start.Before(end.Add(-spanGrain)) {
			return span.Name + " starts before the phase before it ends"
		}
		end = span.Start.Add(time.Duration(span.Millis) * time.Millisecond)
	}
	if end.After(h.Run.FinishedAt.Add(spanGrain)) {
		return "the last phase ends after the run"
	}
	return ""
}

// maxSpanMillis keeps a span's end within what time.Duration holds.
const maxSpanMillis = int64(365*24*time.Hour) / int64(time.Millisecond)

func (h *history) journalProblem() string {
	switch {
	case !slices.Equal(h.Journal.Admitted, []string{h.Baseline.Digest}):
		return "admitted: " + list(h.Journal.Admitted)
	case h.Journal.Entries < 1 || !statement.IsDigest(h.Journal.Head):
		return fmt.Sprintf("%d entries, head %q", h.Journal.Entries, h.Journal.Head)
	}
	return ""
}

// list joins the first few strings for people.
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
