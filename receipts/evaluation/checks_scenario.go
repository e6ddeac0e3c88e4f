package evaluation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// blockingReasons returns the reasons for which a kind of bad image may be refused: none for an unknown kind.
func blockingReasons(kind string) []statement.Reason {
	switch kind {
	case "unpullable":
		return []statement.Reason{statement.ReasonImagePull}
	case "http-only", "status-only", "wrong-protocol":
		return []statement.Reason{statement.ReasonJoinFailed}
	case "wrong-architecture":
		return []statement.Reason{statement.ReasonCrash, statement.ReasonImagePull}
	case "crash-loop":
		return []statement.Reason{statement.ReasonCrash}
	case "ready-then-dies", "joins-then-dies":
		return []statement.Reason{statement.ReasonCrash, statement.ReasonJoinFailed}
	case "slow-start":
		return []statement.Reason{statement.ReasonNotReady}
	case "no-save", "fresh-world", "loses-extra", "loses-chunks":
		return []statement.Reason{statement.ReasonWorldLost}
	}
	return nil
}

// checkScenario adds the checks that the scenario demands of its candidate.
func (h *history) checkScenario(l *checklist, disposition statement.Disposition) {
	kind, bad := strings.CutPrefix(h.Run.Scenario, "bad-image/")
	switch {
	case bad && len(blockingReasons(kind)) > 0:
		h.checkBadImage(l, kind)
	case h.Run.Scenario == statement.ScenarioFormatChanging:
		h.checkSuite(l)
		h.checkFormatChange(l)
		l.add("not-compatible", disposition != statement.CompatibleRollback, constant("not "+string(statement.CompatibleRollback)), constant(string(disposition)))
	case h.Run.Scenario == statement.ScenarioCompatibleRollback:
		h.checkSuite(l)
		h.checkCompatible(l)
		l.add("disposition", disposition == statement.CompatibleRollback, constant(string(statement.CompatibleRollback)), constant(string(disposition)))
	case h.Run.Scenario == statement.ScenarioRestoreRequired:
		h.checkSuite(l)
		h.checkFormatChange(l)
		h.checkRestore(l)
		l.add("disposition", disposition == statement.RestoreRequired, constant(string(statement.RestoreRequired)), constant(string(disposition)))
	case h.Run.Scenario == statement.ScenarioUpdate:
		ended := disposition != statement.Blocked(statement.ReasonUnfinished) && disposition != statement.Blocked(statement.ReasonUnproven)
		l.add("course-ended", ended, constant("the course was gone to an end"), constant(string(disposition)))
	default:
		l.add("scenario-known", false, constant("a scenario with expectations"), func() string { return strconv.Quote(h.Run.Scenario) })
	}
}

// checkSuite adds the checks of every scenario of the suite, which plays on the project's own fleet.
func (h *history) checkSuite(l *checklist) {
	l.require("suite-complete", strings.Join(h.suiteRoles(), ", ")+" claims, joined to HELD", func() string { return "all, " + h.JoinDepth() }, h.suiteProblem())
}

func (h *history) suiteProblem() string {
	if h.JoinDepth() != statement.Held {
		return "joined to " + h.JoinDepth() + " alone"
	}
	for _, role := range h.suiteRoles() {
		if h.before == nil || h.before.Claim(role) == nil {
			return "no " + role + " claim"
		}
	}
	return ""
}

// suiteRoles are the claims that a case needs. Games made for tests have all three; an operator whose backups do not hold
// extra claims gets servers without one. A user's server has what it has.
func (h *history) suiteRoles() []string {
	switch {
	case !h.Baseline.Fixture:
		return []string{statement.Primary}
	case !slices.Contains(h.Environment.Operator.Features, "extra-claims"):
		return []string{statement.Primary, statement.Mods}
	}
	return []string{statement.Primary, statement.Extra, statement.Mods}
}

func (h *history) checkBadImage(l *checklist, kind string) {
	h.checkSuite(l)
	f, reasons := h.candidateFinding(), blockingReasons(kind)
	l.add("candidate-blocked", slices.Contains(reasons, f.reason),
		func() string { return "blocked: " + joinReasons(reasons) }, f.outcome)
	switch kind {
	case "unpullable":
		l.require("candidate-never-ran", "no container of the candidate started", h.describeImage, h.ranProblem())
		l.add("kubelet-words", h.kubeletMessage() != "", constant("the kubelet's own words"), func() string { return strconv.Quote(h.kubeletMessage()) })
	case "http-only":
		ran := h.candidate != nil && h.candidate.Pod != nil && h.Candidate.RunsAs(h.candidate.Pod.ImageID)
		l.add("candidate-ran", ran, constant("the candidate's container ran"), h.describeImage)
		served := h.servedOverHTTP(h.Run.Marker)
		l.add("http-served-marker", served, func() string { return "the marker " + h.Run.Marker + " over HTTP" },
			func() string { return "served: " + strconv.FormatBool(served) })
	}
	l.require("clone-brought-back", "after the halt the clone runs the baseline again, with its world", seen(h.finalCheckpoint()), h.cloneRecoveredProblem())
}

func (h *history) ranProblem() string {
	if h.candidate != nil && h.candidate.Pod != nil && h.candidate.Pod.ImageID != "" {
		return "it ran " + h.candidate.Pod.ImageID
	}
	return ""
}

// kubeletMessage returns what the kubelet reported of the candidate.
func (h *history) kubeletMessage() string {
	if h.candidate == nil {
		return ""
	}
	return h.candidate.Message
}

// checkFormatChange adds the checks that the candidate runs and rewrites the save, and that the baseline refuses the
// rewritten save.
func (h *history) checkFormatChange(l *checklist) {
	l.require("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(h.candidate), h.candidateFinding().problem())
	was, is := dataVersion(h.before), dataVersion(h.candidate)
	l.add("data-version-grew", was > 0 && is > was, func() string { return "a DataVersion above " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	marker := formatMarker(h.candidate)
	l.add("format-marker-present", marker != "" && marker != formatMarker(h.before), constant("a format marker of the candidate's"),
		func() string { return strconv.Quote(marker) })
	f := h.checkpointFinding(h.rollback, h.Baseline)
	refused := h.rollback != nil && h.rollback.Outcome == statement.Refused && f.reason == statement.ReasonNewerWorld
	l.add("rollback-refused", refused, constant("the baseline refuses the rewritten save: "+string(statement.ReasonNewerWorld)), f.outcome)
}

func dataVersion(cp *statement.Checkpoint) int {
	if cp == nil || cp.World == nil {
		return 0
	}
	return cp.World.DataVersion
}

func formatMarker(cp *statement.Checkpoint) string {
	if cp == nil || cp.World == nil {
		return ""
	}
	return cp.World.FormatMarker
}

func (h *history) checkCompatible(l *checklist) {
	l.require("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(h.candidate), h.candidateFinding().problem())
	was, is := dataVersion(h.before), dataVersion(h.candidate)
	l.add("data-version-kept", was > 0 && is == was, func() string { return "DataVersion " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	l.require("rollback-reached", "the baseline reads the save as the candidate left it", seen(h.rollback), h.checkpointFinding(h.rollback, h.Baseline).problem())
	restores := len(h.restoresFor(statement.PurposeRollback))
	l.add("no-restore", restores == 0 && h.restored == nil, constant("no Restore for the rollback"),
		func() string { return strconv.Itoa(restores) })
}

func (h *history) checkRestore(l *checklist) {
	l.require("restore-recorded", "one Restore of the backup's snapshot", h.describeRestore, h.restoreRecordFinding().problem())
	l.require("save-back", "the save is of the version of before, its format marker gone",
		func() string {
			return fmt.Sprintf("DataVersion %d, format marker %q", dataVersion(h.restored), formatMarker(h.restored))
		}, h.saveRestoredFinding().problem())
	l.require("world-back", "the baseline runs, and primary and extra hold the marker", seen(h.restored), h.checkpointFinding(h.restored, h.Baseline).problem())
	mods := findingf(statement.ReasonUnfinished, "not observed")
	if h.restored != nil {
		mods = h.modsFinding(h.restored)
	}
	l.require("mods-own", "the mods keep the clone's own value", constant(h.Run.CloneMods), mods.problem())
}

func (h *history) describeRestore() string {
	for _, restore := range h.restoresFor(statement.PurposeRollback) {
		return "Restore " + restore.UID + " of snapshot " + restore.Snapshot
	}
	return "none"
}

func joinReasons(reasons []statement.Reason) string {
	words := make([]string, len(reasons))
	for i, reason := range reasons {
		words[i] = string(reason)
	}
	return strings.Join(words, " or ")
}

// KnownScenario says whether Of knows what a scenario expects. No receipt of an unknown scenario passes.
func KnownScenario(name string) bool {
	if kind, bad := strings.CutPrefix(name, "bad-image/"); bad {
		return len(blockingReasons(kind)) > 0
	}
	return slices.Contains([]string{statement.ScenarioFormatChanging, statement.ScenarioCompatibleRollback, statement.ScenarioRestoreRequired, statement.ScenarioUpdate}, name)
}
