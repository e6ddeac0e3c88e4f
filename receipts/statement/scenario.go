package statement

// Known scenarios. evaluation.KnownScenario also knows the other kinds of "bad-image/".
const (
	ScenarioUnpullable         = "bad-image/unpullable"
	ScenarioHTTPOnly           = "bad-image/http-only"
	ScenarioFormatChanging     = "format-changing"
	ScenarioCompatibleRollback = "compatible-rollback"
	ScenarioRestoreRequired    = "restore-required"
	ScenarioUpdate             = "update" // a user's own update: every completely observed outcome passes
)
