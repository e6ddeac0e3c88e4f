//go:build linux

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetup runs scripts/setup with scripts instead of the go command and the engine.
func TestSetup(t *testing.T) {
	setup, err := os.ReadFile("setup")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, goBuild, goFind, goMake, uid string
		code                               int
		want                               string
		installs                           bool
	}{
		{"image exists", "", "echo rehearsal/node:offline", "exit 1", "1000", 0, "node image rehearsal/node:offline", false},
		{"does not compile", "echo syntax error >&2; exit 1", "exit 1", "exit 1", "0", 1, "syntax error", false},
		{"must be built", "", "exit 1", "echo rehearsal/node:built", "0", 0, "node image rehearsal/node:built", true},
		{"cannot be built", "", "exit 1", "echo no space left >&2; exit 1", "0", 1, "no space left", true},
		{"must be built, not root", "", "exit 1", "echo built", "1000", 1, "needs root", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			writeScript(t, filepath.Join(dir, "scripts", "setup"), "")
			if err := os.WriteFile(filepath.Join(dir, "scripts", "setup"), setup, 0o755); err != nil {
				t.Fatal(err)
			}
			writeScript(t, filepath.Join(dir, "scripts", "engine"), "")
			writeScript(t, filepath.Join(dir, "scripts", "packages"), "touch "+filepath.Join(dir, "installed"))
			writeScript(t, filepath.Join(dir, "bin", "go"),
				"if [ $1 = build ]; then "+test.goBuild+"\n:; elif [ \"$4\" = --no-build ]; then "+test.goFind+"; else "+test.goMake+"; fi")
			writeScript(t, filepath.Join(dir, "bin", "id"), "echo "+test.uid)
			// No debootstrap, even if this machine has it.
			for _, name := range []string{"bash", "dirname", "sh", "touch"} {
				path, err := exec.LookPath(name)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(dir, "bin", name)); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command(filepath.Join(dir, "scripts", "setup"))
			command.Env = []string{"PATH=" + filepath.Join(dir, "bin")}
			printed, _ := command.CombinedOutput() // the exit code is checked below
			if code := command.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(printed), test.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, test.code, test.want, printed)
			}
			if _, err := os.Stat(filepath.Join(dir, "installed")); (err == nil) != test.installs {
				t.Errorf("debootstrap installed: %t, want %t", err == nil, test.installs)
			}
		})
	}
}
