package statement

// Scenarios that are known. "bad-image/" has more kinds: see blockingReasons.
const (
	ScenarioUnpullable         = "bad-image/unpullable"
	ScenarioHTTPOnly           = "bad-image/http-only"
	ScenarioFormatChanging     = "format-changing"
	ScenarioCompatibleRollback = "compatible-rollback"
	ScenarioRestoreRequired    = "restore-required"
	ScenarioUpdate             = "update" // a user's own: any outcome passes that was honestly observed
)
