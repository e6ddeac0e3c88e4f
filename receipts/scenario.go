package receipts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scenarios that are known. "bad-image/" has more kinds: see blockingReasons.
const (
	ScenarioUnpullable         = "bad-image/unpullable"
	ScenarioHTTPOnly           = "bad-image/http-only"
	ScenarioFormatChanging     = "format-changing"
	ScenarioCompatibleRollback = "compatible-rollback"
	ScenarioRestoreRequired    = "restore-required"
	ScenarioUpdate             = "update" // a user's own: any outcome passes that was honestly observed
)

// blockingReasons are the reasons for which a kind of bad image may be refused; none for a kind that is not known.
func blockingReasons(kind string) []RefusalReason {
	switch kind {
	case "unpullable":
		return []RefusalReason{ReasonImagePull}
	case "http-only", "status-only", "wrong-protocol":
		return []RefusalReason{ReasonJoinFailed}
	case "wrong-architecture":
		return []RefusalReason{ReasonCrash, ReasonImagePull}
	case "crash-loop":
		return []RefusalReason{ReasonCrash}
	case "ready-then-dies", "joins-then-dies":
		return []RefusalReason{ReasonCrash, ReasonJoinFailed}
	case "slow-start":
		return []RefusalReason{ReasonNotReady}
	case "no-save", "fresh-world", "loses-extra", "loses-chunks":
		return []RefusalReason{ReasonWorldLost}
	}
	return nil
}

// checkScenario adds what the scenario expects of its candidate.
func (c *course) checkScenario(l *checklist, disposition Disposition) {
	kind, bad := strings.CutPrefix(c.Run.Scenario, "bad-image/")
	switch {
	case bad && len(blockingReasons(kind)) > 0:
		c.checkBadImage(l, kind)
	case c.Run.Scenario == ScenarioFormatChanging:
		c.checkSuite(l)
		c.checkFormatChange(l)
		l.add("not-compatible", disposition != CompatibleRollback, say("not "+string(CompatibleRollback)), say(string(disposition)))
	case c.Run.Scenario == ScenarioCompatibleRollback:
		c.checkSuite(l)
		c.checkCompatible(l)
		l.add("disposition", disposition == CompatibleRollback, say(string(CompatibleRollback)), say(string(disposition)))
	case c.Run.Scenario == ScenarioRestoreRequired:
		c.checkSuite(l)
		c.checkFormatChange(l)
		c.checkRestore(l)
		l.add("disposition", disposition == RestoreRequired, say(string(RestoreRequired)), say(string(disposition)))
	case c.Run.Scenario == ScenarioUpdate:
		ended := disposition != Blocked(ReasonUnfinished) && disposition != Blocked(ReasonUnproven)
		l.add("course-ended", ended, say("the course was gone to an end"), say(string(disposition)))
	default:
		l.add("scenario-known", false, say("a scenario with expectations"), func() string { return strconv.Quote(c.Run.Scenario) })
	}
}

// checkSuite adds what every scenario of the suite, whose fleet is our own, must show.
func (c *course) checkSuite(l *checklist) {
	l.hold("suite-complete", "primary, extra and mods claims, joined to HELD", func() string { return "all three, " + c.JoinDepth() }, c.suiteProblem())
}

func (c *course) suiteProblem() string {
	if c.JoinDepth() != Held {
		return "joined to " + c.JoinDepth() + " alone"
	}
	for _, role := range []string{Primary, Extra, Mods} {
		if c.before == nil || c.before.Claim(role) == nil {
			return "no " + role + " claim"
		}
	}
	return ""
}

func (c *course) checkBadImage(l *checklist, kind string) {
	c.checkSuite(l)
	s, reasons := c.candidateReached(), blockingReasons(kind)
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
	l.hold("clone-brought-back", "after the halt the clone runs the baseline again, with its world", seen(c.last()), c.cloneBack())
}

func (c *course) ranProblem() string {
	if c.candidate != nil && c.candidate.Pod != nil && c.candidate.Pod.ImageID != "" {
		return "it ran " + c.candidate.Pod.ImageID
	}
	return ""
}

// words are what the kubelet said of the candidate.
func (c *course) words() string {
	if c.candidate == nil {
		return ""
	}
	return c.candidate.Message
}

// checkFormatChange adds that the candidate runs, rewrites the save, and that the baseline refuses what it wrote.
func (c *course) checkFormatChange(l *checklist) {
	l.hold("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(c.candidate), c.candidateReached().problem())
	was, is := dataVersion(c.before), dataVersion(c.candidate)
	l.add("data-version-grew", was > 0 && is > was, func() string { return "a DataVersion above " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	marker := formatMarker(c.candidate)
	l.add("format-marker-present", marker != "" && marker != formatMarker(c.before), say("a format marker of the candidate's"),
		func() string { return strconv.Quote(marker) })
	s := c.reached(c.rollback, c.Baseline)
	refused := c.rollback != nil && c.rollback.Outcome == Refused && s.reason == ReasonNewerWorld
	l.add("rollback-refused", refused, say("the baseline refuses the rewritten save: "+string(ReasonNewerWorld)), s.outcome)
}

func dataVersion(cp *Checkpoint) int {
	if cp == nil || cp.World == nil {
		return 0
	}
	return cp.World.DataVersion
}

func formatMarker(cp *Checkpoint) string {
	if cp == nil || cp.World == nil {
		return ""
	}
	return cp.World.FormatMarker
}

func (c *course) checkCompatible(l *checklist) {
	l.hold("candidate-reached", "the candidate runs and the player finds the marker, also after a restart", seen(c.candidate), c.candidateReached().problem())
	was, is := dataVersion(c.before), dataVersion(c.candidate)
	l.add("data-version-kept", was > 0 && is == was, func() string { return "DataVersion " + strconv.Itoa(was) },
		func() string { return strconv.Itoa(is) })
	l.hold("rollback-reached", "the baseline reads the save as the candidate left it", seen(c.rollback), c.reached(c.rollback, c.Baseline).problem())
	restores := len(c.restoresFor(PurposeRollback))
	l.add("no-restore", restores == 0 && c.restored == nil, say("no Restore for the rollback"),
		func() string { return strconv.Itoa(restores) })
}

func (c *course) checkRestore(l *checklist) {
	l.hold("restore-recorded", "one Restore of the backup's snapshot", c.describeRestore, c.restoreRecorded().problem())
	l.hold("save-back", "the save is of the version of before, its format marker gone",
		func() string {
			return fmt.Sprintf("DataVersion %d, format marker %q", dataVersion(c.restored), formatMarker(c.restored))
		}, c.saveBack().problem())
	l.hold("world-back", "the baseline runs, and primary and extra hold the marker", seen(c.restored), c.reached(c.restored, c.Baseline).problem())
	mods := short(ReasonUnfinished, "not observed")
	if c.restored != nil {
		mods = c.modsKept(c.restored)
	}
	l.hold("mods-own", "the mods keep the clone's own value", say(c.Run.CloneMods), mods.problem())
}

func (c *course) describeRestore() string {
	for _, restore := range c.restoresFor(PurposeRollback) {
		return "Restore " + restore.UID + " of snapshot " + restore.Snapshot
	}
	return "none"
}

func joinReasons(reasons []RefusalReason) string {
	words := make([]string, len(reasons))
	for i, reason := range reasons {
		words[i] = string(reason)
	}
	return strings.Join(words, " or ")
}
