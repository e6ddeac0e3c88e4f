package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/save"
)

const worlds = "../../fixtures/worlds"

func run(ctx context.Context, args ...string) (string, error) {
	root := New()
	var stdout bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stdout)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return stdout.String(), err
}

// TestObserve pins the output format that the harness reads.
func TestObserve(t *testing.T) {
	t.Parallel()
	output, err := run(t.Context(), "observe", "--claim", "primary="+filepath.Join(worlds, "B", "data"), "--claim", "mods="+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var observed struct {
		Claims []struct {
			Role, Marker, Tree string
			Files              int
			Bytes              int64
		}
		World *struct {
			DataVersion         int
			Nonce, FormatMarker string
		}
	}
	if err := json.Unmarshal([]byte(output), &observed); err != nil {
		t.Fatal(err)
	}
	if len(observed.Claims) != 2 || observed.Claims[1].Role != "mods" || observed.Claims[0].Marker != "0123456789abcdef" {
		t.Errorf("claims: %+v", observed.Claims)
	}
	if strings.Contains(output, `"players"`) || !strings.Contains(output, `"playerCount":1`) {
		t.Errorf("output %s holds players: thousands would be over the harness's limit", output)
	}
	if w := observed.World; w == nil || w.DataVersion != 3955 || w.FormatMarker != "3955" || w.Nonce == "" {
		t.Errorf("world: %+v", w)
	}
}

func TestObserveWithoutAWorld(t *testing.T) {
	t.Parallel()
	output, err := run(t.Context(), "observe", "--claim", "primary="+t.TempDir())
	if err != nil || !strings.Contains(output, `"world":null`) {
		t.Errorf("got %s, %v", output, err)
	}
}

// TestObserveKeepsTheOrder: only their order distinguishes claims of one role.
func TestObserveKeepsTheOrder(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	for dir, marker := range map[string]string{first: "first", second: "second"} {
		if err := os.WriteFile(filepath.Join(dir, save.MarkerFile), []byte(marker), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	output, err := run(t.Context(), "observe", "--claim", "primary="+t.TempDir(), "--claim", "extra="+second, "--claim", "extra="+first)
	if err != nil {
		t.Fatal(err)
	}
	var observed save.Observation
	if err := json.Unmarshal([]byte(output), &observed); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, claim := range observed.Claims {
		got = append(got, claim.Role+" "+claim.Marker)
	}
	if diff := cmp.Diff([]string{"primary ", "extra second", "extra first"}, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// TestObserveBrokenContent: broken content of a volume is a result, not a failure of the witness.
func TestObserveBrokenContent(t *testing.T) {
	t.Parallel()
	primary, extra := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(primary, "world"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(primary, "world", "level.dat"), filepath.Join(extra, "large")} {
		if err := os.WriteFile(path, []byte("noise"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(extra, "large"), 1<<20); err != nil {
		t.Fatal(err)
	}
	output, err := run(t.Context(), "observe", "--max-bytes", "1000", "--claim", "primary="+primary, "--claim", "extra="+extra)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"claims":[{"role":"primary","marker":"","tree":"sha256:`, `"files":1,"bytes":5},`,
		`{"role":"extra","marker":"","tree":"","files":0,"bytes":0,"error":"hash `, `"world":null,"worldError":"level.dat: malformed NBT`,
	} {
		if !strings.Contains(output, want) {
			t.Errorf("output %s does not hold %s", output, want)
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), save.MarkerFile)
	if _, err := run(t.Context(), "mark", "--file", file, "--value", "0123"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "0123\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHoldEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := run(ctx, "hold")
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("hold ended early: %v", err)
	default:
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"observe"}, {"observe", "--claim", "primary"}, {"observe", "--claim", "=x"}, {"observe", "--claim", "a=/missing/here"},
		{"observe", "--claim", "a=.", "--claim", "a=."},
		{"observe", "--claim", "primary=.", "--claim", "primary=.."}, {"observe", "--claim", "a=.", "--max-bytes", "0"}, {"mark", "--file", "x"}, {"mark", "--file", "x", "--value", "a\nb"},
		{"mark", "--file", "/missing/here", "--value", "a"}, {"nonsense"}, {"probe"},
	} {
		if output, err := run(t.Context(), args...); err == nil {
			t.Errorf("%q: no error, output %q", args, output)
		}
	}
}
