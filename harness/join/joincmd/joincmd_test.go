package joincmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/game"
	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
	"github.com/GameplanePanel/rehearsal/harness/join/joincmd"
)

const nowhere = "127.0.0.1:1"

// run runs the command and returns its output, its error and the exit code.
func run(t *testing.T, args ...string) (output string, code int, err error) {
	t.Helper()
	command := joincmd.New()
	var stdout bytes.Buffer
	command.SetOut(&stdout)
	command.SetErr(&stdout)
	command.SetArgs(args)
	err = command.ExecuteContext(t.Context())
	code, _ = joincmd.AsExit(err)
	return stdout.String(), code, err
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	good := gametest.Start(t, gametest.A, gametest.NewVolumes(t)).Address
	// Two who edit the same blocks at once take each other's confirmation away.
	another := gametest.Start(t, gametest.A, gametest.NewVolumes(t)).Address
	closed := gametest.Start(t, gametest.With(gametest.A, game.StatusOnly), gametest.NewVolumes(t)).Address
	tests := []struct {
		name string
		args []string
		line string // pattern of the verdict
		code int
	}{
		{"held", []string{good}, `^VERDICT\tPASS\tHELD\tok: player [0-9a-f-]{36} in 1.20.2 .* edit confirmed\n$`, joincmd.ExitReached},
		{"looks only, as expected", []string{good, "--edit=false", "--expect-depth", "JOINED"}, `^VERDICT\tPASS\tJOINED\tok: .*no edit`, joincmd.ExitReached},
		{"marker is not there", []string{good, "--want-marker", "0000000000000000"}, `^VERDICT\tFAIL\tJOINED\tmarker-lost: `, joincmd.ExitShallow},
		{"refused", []string{closed}, `^VERDICT\tFAIL\tQUERY\trefused: login: `, joincmd.ExitShallow},
		{"refused, deep enough", []string{closed, "--expect-depth", "QUERY"}, `^VERDICT\tPASS\tQUERY\trefused: `, joincmd.ExitReached},
		{"nobody there", []string{nowhere}, `^VERDICT\tFAIL\tNONE\tconnect: `, joincmd.ExitTransport},
		{"control that fails", []string{nowhere, "--expect-fail"}, `^VERDICT\tPASS\tNONE\tconnect: `, joincmd.ExitReached},
		{"control that gets in", []string{another, "--expect-fail"}, `^VERDICT\tFAIL\tHELD\tok: `, joincmd.ExitShallow},
		{"nonsense", []string{good, "--set-marker", "x"}, `^VERDICT\tFAIL\tNONE\tinternal: `, joincmd.ExitInternal},
		{"nonsense as a control", []string{good, "--set-marker", "x", "--expect-fail"}, `^VERDICT\tFAIL\tNONE\tinternal: `, joincmd.ExitInternal},
		{"no port", []string{"localhost:99999"}, `^VERDICT\tFAIL\tNONE\tinternal: .*port "99999"`, joincmd.ExitInternal},
		{"no host", []string{":25565"}, `^VERDICT\tFAIL\tNONE\tinternal: .*no host`, joincmd.ExitInternal},
		{"half an IPv6 address", []string{"[::1"}, `^VERDICT\tFAIL\tNONE\tinternal: `, joincmd.ExitInternal},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := fmt.Sprintf("player%d", i) // a second visit of one player ends the first
			output, code, _ := run(t, append(test.args, "--name", name)...)
			if code != test.code || !regexp.MustCompile(test.line).MatchString(output) {
				t.Errorf("exit code %d, output %q, want %d and %s", code, output, test.code, test.line)
			}
			if strings.Count(output, "\n") != 1 || strings.Count(output, "\t") != 3 {
				t.Errorf("output %q is not one line of four fields", output)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	output, code, _ := run(t, nowhere, "--json")
	var result join.Result
	if err := json.Unmarshal([]byte(output), &result); err != nil || result.Class != join.ClassConnect || code != joincmd.ExitTransport {
		t.Errorf("exit code %d, output %q, %v", code, output, err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"a", "b"}, {"a", "--expect-depth", "DEEP"}, {"a", "--expect-depth", ""}, {"a", "--nonsense"}, {"a", "--edit=false"}, {"a", "--deadline", "0"}, {"a", "--rcon", "nonsense"}, {"a", "--rcon", "a:1"}} {
		_, code, err := run(t, args...)
		if _, print := joincmd.AsExit(err); err == nil || code != joincmd.ExitInternal || !print {
			t.Errorf("%q: exit code %d, %v", args, code, err)
		}
	}
}
