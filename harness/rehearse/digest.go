package rehearse

import (
	"runtime/debug"
	"strings"
)

// digestOf returns the digest at the end of a reference or an image ID ("sha256:…"), or "" where it has none.
func digestOf(ref string) string {
	if at := strings.LastIndex(ref, "sha256:"); at >= 0 {
		return ref[at:]
	}
	return ""
}

// Version returns the version of the harness as Go's build information has it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return info.Main.Version
}
