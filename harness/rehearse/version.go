package rehearse

import "runtime/debug"

// Version returns the version of the harness as Go's build information has it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
