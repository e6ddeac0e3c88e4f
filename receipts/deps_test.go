package receipts_test

import (
	"os/exec"
	"strings"
	"testing"
)

// An operator that imports the packages takes on no further module.
func TestStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	const format = `{{if not .Standard}}{{.ImportPath}}{{end}}`
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if !strings.HasPrefix(name, "github.com/GameplanePanel/rehearsal/receipts") {
			t.Errorf("%s is outside the standard library", name)
		}
	}
}
