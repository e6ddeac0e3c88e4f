package evaluation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// blockingReasons are the reasons for which a kind of bad image may be refused; none for a kind that is not known.
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

// checkScenario adds what the scenario expects of its candidate.
func (c *history) checkScenario(l *checklist, disposition statement.Disposition) {
	kind, bad := strings.CutPrefix(c.Run.Scenario, "bad-image/")
	switch {
	case bad && len(blockingReasons(kind)) > 0:
		c.checkBadImage(l, kind)
	case c.Run.Scenario == statement.ScenarioFormatChanging:
		c.checkSuite(l)
		c.checkFormatChange(l)
		l.add("not-compatible", disposition != statement.CompatibleRollback, say("not "+string(statement.CompatibleRollback)), say(string(disposition)))
	case c.Run.Scenario == statement.ScenarioCompatibleRollback:
		c.checkSuite(l)
		c.checkCompatible(l)
		l.add("disposition", disposition == statement.CompatibleRollback, say(string(statement.CompatibleRollback)), say(string(disposition)))
	case c.Run.Scenario == statement.ScenarioRestoreRequired:
		c.checkSuite(l)
		c.checkFormatChange(l)
		c.checkRestore(l)
		l.add("disposition", disposition == statement.RestoreRequired, say(string(statement.RestoreRequired)), say(string(disposition)))
	case c.Run.Scenario == statement.ScenarioUpdate:
		ended := disposition != statement.Blocked(statement.ReasonUnfinished) && disposition != statement.Blocked(statement.ReasonUnproven)
		l.add("course-ended", ended, say("the course was gone to an end"), say(string(disposition)))
	default:
		l.add("scenario-known", false, say("a scenario with expectations"), func() string { return strconv.Quote(c.Run.Scenario) })
	}
}

// checkSuite adds what every scenario of the suite, whose fleet is our own, must show.
func (c *history) checkSuite(l *checklist) {
	l.hold("suite-complete", "primary, extra and mods claims, joined to HELD", func() string { return "all three, " + c.JoinDepth() }, c.suiteProblem())
}

func (c *history) suiteProblem() string {
	if c.JoinDepth() != statement.Held {
		return "joined to " + c.JoinDepth() + " alone"
	}
	for _, role := range []string{statement.Primary, statement.Extra, statement.Mods} {
		if c.before == nil || c.before.Claim(role) == nil {
			return "no " + role + " claim"
		}
	}
	return ""
}

func (c *history) checkBadImage(l *checklist, kind string) {
	c.checkSuite(l)
	s, reasons := c.candidateFinding(), blockingReasons(kind)
	l.add("candidate-blocked", slices.Contains(reasons, s.reason),
		func() string { return "blocked: " + joinReasons(reasons) }, s.outcome)
	switch kind {
	case "unpullable":
		l.hold("candidate-never-ran", "no container of the candidate started", c.describeImage, c.ranProblem())
		l.add("kubelet-words", c.words() != "", say("the kubelet's own words"), func() string { return strconv.Quote(c.words()) })
	case "http-only":
		ran := c.candidate != nil && c.candidate.Pod != nil && c.Candidate.RunsAs(c.candidate.Pod.ImageID)
		l.add("candidate-ran", ran, say("the candidate's container ran"), c.describeImage)
		served := c.served(c.Run.Marker)
		l.add("http-served-marker", served, func() string { return "the marker " + c.Run.Marker + " over HTTP" },
			func() string { return "served: " + strconv.FormatBool(served) })
	}
	l.hold("clone-brought-back", "after the halt the clone runs the baseline again, with its world", seen(c.last()), c.cloneRecoveredProblem())
}

func (c *history) ranProblem() string {
	if c.candidate != nil && c.candidate.Pod != nil && c.candidate.Pod.ImageID != "" {
		return "it ran " + c.candidate.Pod.ImageID
	}
	return ""
}

// words are what the kubelet said of the candidate.
func (c *history) words() string {
	if c.candidate == nil {
		return ""
	}
	return c.candidate.Message
}

// checkFormatChange adds that the candidate runs, rewrites the save, and that the baseline refuses what it wrote.
func (c *history) checkFormatChange(l *checklist) {
	l.hold("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(c.candidate), c.candidateFinding().problem())
	was, is := dataVersion(c.before), dataVersion(c.candidate)
	l.add("data-version-grew", was > 0 && is > was, func() string { return "a DataVersion above " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	marker := formatMarker(c.candidate)
	l.add("format-marker-present", marker != "" && marker != formatMarker(c.before), say("a format marker of the candidate's"),
		func() string { return strconv.Quote(marker) })
	s := c.checkpointFinding(c.rollback, c.Baseline)
	refused := c.rollback != nil && c.rollback.Outcome == statement.Refused && s.reason == statement.ReasonNewerWorld
	l.add("rollback-refused", refused, say("the baseline refuses the rewritten save: "+string(statement.ReasonNewerWorld)), s.outcome)
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

func (c *history) checkCompatible(l *checklist) {
	l.hold("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(c.candidate), c.candidateFinding().problem())
	was, is := dataVersion(c.before), dataVersion(c.candidate)
	l.add("data-version-kept", was > 0 && is == was, func() string { return "DataVersion " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	l.hold("rollback-reached", "the baseline reads the save as the candidate left it", seen(c.rollback), c.checkpointFinding(c.rollback, c.Baseline).problem())
	restores := len(c.restoresFor(statement.PurposeRollback))
	l.add("no-restore", restores == 0 && c.restored == nil, say("no Restore for the rollback"),
		func() string { return strconv.Itoa(restores) })
}

func (c *history) checkRestore(l *checklist) {
	l.hold("restore-recorded", "one Restore of the backup's snapshot", c.describeRestore, c.restoreRecordFinding().problem())
	l.hold("save-back", "the save is of the version of before, its format marker gone",
		func() string {
			return fmt.Sprintf("DataVersion %d, format marker %q", dataVersion(c.restored), formatMarker(c.restored))
		}, c.saveRestoredFinding().problem())
	l.hold("world-back", "the baseline runs, and primary and extra hold the marker", seen(c.restored), c.checkpointFinding(c.restored, c.Baseline).problem())
	mods := findingf(statement.ReasonUnfinished, "not observed")
	if c.restored != nil {
		mods = c.modsFinding(c.restored)
	}
	l.hold("mods-own", "the mods keep the clone's own value", say(c.Run.CloneMods), mods.problem())
}

func (c *history) describeRestore() string {
	for _, restore := range c.restoresFor(statement.PurposeRollback) {
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

// KnownScenario says whether Of knows what to expect of a scenario: no receipt of another one passes.
func KnownScenario(name string) bool {
	if kind, bad := strings.CutPrefix(name, "bad-image/"); bad {
		return len(blockingReasons(kind)) > 0
	}
	return slices.Contains([]string{statement.ScenarioFormatChanging, statement.ScenarioCompatibleRollback, statement.ScenarioRestoreRequired, statement.ScenarioUpdate}, name)
}
