package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/harness/save"
)

const worlds = "../../fixtures/worlds"

func run(ctx context.Context, args ...string) (string, error) {
	root := newRoot()
	var stdout bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stdout)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return stdout.String(), err
}

// TestObserve pins the shape that the harness reads.
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
	if len(observed.Claims) != 2 || observed.Claims[0].Role != "mods" || observed.Claims[1].Marker != "0123456789abcdef" {
		t.Errorf("claims: %+v", observed.Claims)
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
		{"observe", "--claim", "a=.", "--claim", "a=."}, {"mark", "--file", "x"}, {"mark", "--file", "x", "--value", "a\nb"},
		{"mark", "--file", "/missing/here", "--value", "a"}, {"nonsense"}, {"probe"},
	} {
		if output, err := run(t.Context(), args...); err == nil {
			t.Errorf("%q: no error, output %q", args, output)
		}
	}
}
