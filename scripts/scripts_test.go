//go:build linux

// Package scripts tests the set-up scripts; it has no code of its own.
package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type capabilities struct {
	Bounding  []string `json:"bounding"`
	Effective []string `json:"effective"`
}

type process struct {
	Args         []string      `json:"args"`
	Capabilities *capabilities `json:"capabilities,omitempty"`
}

// bounded runs the wrapper, around a runc that does nothing, in a process that
// lacks the capability to change owners, which no test needs.
func bounded(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatal("jq is missing: scripts/packages jq")
	}
	stub := t.TempDir()
	if err := os.WriteFile(filepath.Join(stub, "runc"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("setpriv", append([]string{"--bounding-set", "-chown", "./runc-bounded"}, args...)...)
	if os.Geteuid() != 0 {
		// Without privileges the set cannot be changed, but in a namespace of one's own.
		command = exec.Command("unshare", append([]string{"--map-root-user"}, command.Args...)...)
	}
	command.Env = append(os.Environ(), "PATH="+stub+":"+os.Getenv("PATH"))
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readJSON(t *testing.T, path string, value any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, value); err != nil {
		t.Fatal(err)
	}
}

func TestRuncBounded(t *testing.T) {
	asked := process{
		// Not a capability asked for, but a word of the program's.
		Args: []string{"grep", "CAP_CHOWN"},
		Capabilities: &capabilities{
			Bounding:  []string{"CAP_CHOWN", "CAP_KILL"},
			Effective: []string{"CAP_CHOWN"},
		},
	}
	granted := process{Args: asked.Args, Capabilities: &capabilities{Bounding: []string{"CAP_KILL"}, Effective: []string{}}}
	type bundle struct {
		Process process `json:"process"`
	}
	for name, flag := range map[string]string{"two words": "--bundle ", "one word": "--bundle="} {
		t.Run("create in "+name, func(t *testing.T) {
			dir := t.TempDir()
			writeJSON(t, filepath.Join(dir, "config.json"), bundle{asked})
			args := []string{"create", flag + dir, "id"}
			if flag == "--bundle " {
				args = []string{"create", "--bundle", dir, "id"}
			}
			bounded(t, args...)
			var got bundle
			readJSON(t, filepath.Join(dir, "config.json"), &got)
			if diff := cmp.Diff(granted, got.Process); diff != "" {
				t.Errorf("process (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("exec", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "process.json")
		writeJSON(t, file, asked)
		bounded(t, "exec", "--process", file, "id")
		var got process
		readJSON(t, file, &got)
		if diff := cmp.Diff(granted, got); diff != "" {
			t.Errorf("process (-want +got):\n%s", diff)
		}
	})
	t.Run("no capabilities", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "process.json")
		plain := process{Args: []string{"true"}}
		writeJSON(t, file, plain)
		bounded(t, "exec", "--process", file, "id")
		var got process
		readJSON(t, file, &got)
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("process (-want +got):\n%s", diff)
		}
	})
}
