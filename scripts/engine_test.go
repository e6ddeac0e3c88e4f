//go:build linux

package scripts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine is an environment for scripts/engine: docker is a script, and programs in
// bin take precedence.
type machine struct{ dir, bin string }

func newMachine(t *testing.T, docker string) machine {
	t.Helper()
	dir := t.TempDir()
	m := machine{dir: dir, bin: filepath.Join(dir, "bin")}
	writeScript(t, filepath.Join(m.bin, "docker"), docker)
	// The test fails if one of these two runs.
	writeScript(t, filepath.Join(m.bin, "apt-get"), "touch "+filepath.Join(dir, "installed"))
	writeScript(t, filepath.Join(m.bin, "setsid"), "touch "+filepath.Join(dir, "launched"))
	return m
}

func (m machine) engine(t *testing.T, args ...string) (printed string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "./engine", args...)
	command.WaitDelay = time.Second
	command.Env = append(os.Environ(), "DOCKER_HOST=", "PATH="+m.bin+":"+os.Getenv("PATH"),
		"REHEARSAL_ENGINE_STATE="+filepath.Join(m.dir, "state"), "REHEARSAL_ENGINE_DEADLINE=10")
	output, err := command.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return string(output), command.ProcessState.ExitCode()
}

func (m machine) untouched(t *testing.T) {
	t.Helper()
	for _, name := range []string{"installed", "launched"} {
		if _, err := os.Stat(filepath.Join(m.dir, name)); err == nil {
			t.Errorf("the script %s something", name)
		}
	}
}

// runDockerd runs a process named dockerd: the script looks only at the name.
func runDockerd(t *testing.T) {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	dockerd := filepath.Join(t.TempDir(), "dockerd")
	if err := os.Symlink(sleep, dockerd); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(dockerd, "60")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
}

// slow is a docker command whose engine answers only the fourth call.
func slow(dir string) string {
	count := filepath.Join(dir, "count")
	return "echo x >>" + count + "; [ $(wc -l <" + count + ") -ge 4 ]"
}

func TestEngineWaitsForASlowOne(t *testing.T) {
	runDockerd(t)
	m := newMachine(t, slow(t.TempDir()))
	printed, code := m.engine(t)
	if code != 0 || !strings.Contains(printed, "waiting for it") {
		t.Errorf("exit code %d: %s", code, printed)
	}
	m.untouched(t)
}

func TestEngineStatus(t *testing.T) {
	runDockerd(t)
	for docker, want := range map[string]int{"exit 0": 0, "exit 1": 3} {
		if printed, code := newMachine(t, docker).engine(t, "status"); code != want {
			t.Errorf("docker: %s: exit code %d, want %d: %s", docker, code, want, printed)
		}
	}
}

func TestEngineRefusesTheUser(t *testing.T) {
	m := newMachine(t, "echo 'dial unix /var/run/docker.sock: connect: permission denied' >&2; exit 1")
	printed, code := m.engine(t)
	if code != 1 || !strings.Contains(printed, "group docker") {
		t.Errorf("exit code %d: %s", code, printed)
	}
	m.untouched(t)
}

// TestGateStopsItsOwnEngineOnly runs .ci/run with scripts that record their calls.
func TestGateStopsItsOwnEngineOnly(t *testing.T) {
	gate, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for status, stopped := range map[string]bool{"0": false, "1": true, "3": false} {
		dir := t.TempDir()
		writeScript(t, filepath.Join(dir, ".ci", "run"), "")
		if err := os.WriteFile(filepath.Join(dir, ".ci", "run"), gate, 0o755); err != nil {
			t.Fatal(err)
		}
		calls := filepath.Join(dir, "calls")
		writeScript(t, filepath.Join(dir, "scripts", "engine"), "echo engine $1 >>"+calls+"; [ $1 = stop ] || exit "+status)
		writeScript(t, filepath.Join(dir, "bin", "make"), "echo make $1 >>"+calls+"; exit 7")
		command := exec.Command(filepath.Join(dir, ".ci", "run"))
		command.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		printed, _ := command.CombinedOutput() // the exit code is checked below
		if code := command.ProcessState.ExitCode(); code != 7 {
			t.Errorf("status %s: exit code %d, want that of make: %s", status, code, printed)
		}
		log, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(log), "engine stop"); got != stopped {
			t.Errorf("status %s: stopped is %t, want %t:\n%s", status, got, stopped, log)
		}
	}
}
