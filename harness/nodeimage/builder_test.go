package nodeimage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ended returns the container name for a process that has ended.
func ended(t *testing.T) string {
	t.Helper()
	command := exec.Command("sleep", "60")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	start, err := processStart(command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("rehearsal-nodeimage-%s-%d-%s", hostID(), command.Process.Pid, start)
	if !builderAtWork(name) {
		t.Error("a live process counts as ended")
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	return name
}

func TestSweep(t *testing.T) {
	mine, err := builderName()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, container string
		force           bool
		removed         bool
	}{
		{"live", mine, false, false},
		{"live, forced", mine, true, true},
		{"dead", ended(t), false, true},
		{"reused process ID", mine + "0", false, true},
		{"another machine's", "rehearsal-nodeimage-000000000000-1-1", false, false},
		{"not named by a builder", "eager_kepler", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := filepath.Join(t.TempDir(), "calls")
			stubDocker(t, fmt.Sprintf(`echo "$*" >>%s
case "$*" in
ps*) echo "abc %s" ;;
esac`, calls, test.container))
			removed, err := Sweep(t.Context(), test.force)
			if wants := !test.removed; errors.Is(err, ErrBuilding) != wants || len(removed) == 0 != wants {
				t.Errorf("Sweep = %v, %v", removed, err)
			}
			log, err := os.ReadFile(calls)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(log), "rm --force --volumes abc"); got != test.removed {
				t.Errorf("removed: %t, want %t\n%s", got, test.removed, log)
			}
		})
	}
}

// TestSweepReportsWhatIsGone: Sweep does not report a container that remains.
func TestSweepReportsWhatIsGone(t *testing.T) {
	stubDocker(t, `case "$*" in
ps*) echo "abc eager_kepler"; echo "def jolly_kepler" ;;
"rm "*abc) echo in use >&2; exit 1 ;;
esac`)
	removed, err := Sweep(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "in use") || len(removed) != 1 || removed[0] != "def" {
		t.Errorf("Sweep = %v, %v", removed, err)
	}
}
