package rehearse

import "runtime/debug"

// Version returns the version of the harness from Go's build information.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
