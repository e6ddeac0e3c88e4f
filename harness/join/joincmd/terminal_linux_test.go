package joincmd_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
)

// terminal opens a terminal, and the end of it at which a person would sit.
func terminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return screen, program
}

// TestProgress: a person sees each stage as it begins; a log holds the verdict alone (see TestVerdicts).
func TestProgress(t *testing.T) {
	t.Parallel()
	server := gametest.Start(t, gametest.A, gametest.NewVolumes(t))
	screen, program := terminal(t)
	command := joincmd.New()
	var stdout bytes.Buffer
	command.SetOut(&stdout)
	command.SetErr(program)
	command.SetArgs([]string{server.Address})
	if err := command.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(program, "the end"); err != nil {
		t.Fatal(err)
	}
	seen := untilTheEnd(t, screen)
	var stages []string
	for _, line := range strings.Split(seen, "\n") {
		if stage, _, _ := strings.Cut(line, " "); len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
	}
	if got, want := strings.Join(stages, " "), "status login configuration play hold edit save the"; got != want {
		t.Errorf("stages %q, want %q, in\n%s", got, want, seen)
	}
	if !strings.Contains(seen, "status  1.20.2, protocol 764") || strings.Count(stdout.String(), "\n") != 1 {
		t.Errorf("on the terminal:\n%s\non standard output:\n%s", seen, stdout.String())
	}
}

func untilTheEnd(t *testing.T, screen *os.File) string {
	t.Helper()
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(seen.String(), "the end") {
		n, err := screen.Read(buffer)
		if err != nil {
			t.Fatalf("read terminal: %v after %q", err, seen.String())
		}
		seen.Write(buffer[:n])
	}
	return strings.TrimSpace(strings.ReplaceAll(seen.String(), "\r", ""))
}
