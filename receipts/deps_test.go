package receipts_test

import (
	"os/exec"
	"strings"
	"testing"
)

// An operator that imports the package takes nothing else on: not a module, and no work at start-up.
func TestStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	const format = `{{if not .Standard}}{{.ImportPath}}{{end}}`
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); len(got) != 1 || !strings.HasSuffix(got[0], "/rehearsal/receipts") {
		t.Errorf("packages outside the standard library: %q", got)
	}
}
