//go:build linux

// Package scripts tests the set-up scripts; it has no other code.
package scripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// bounded runs the wrapper around a runc that does nothing. A fake awk reports set as
// the process's capabilities, since dropping real ones needs privileges. If set is
// empty, the wrapper reads the process's own.
func bounded(t *testing.T, set string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatal("jq is missing: make tools")
	}
	bin := t.TempDir()
	writeScript(t, filepath.Join(bin, "runc"), "")
	if set != "" {
		writeScript(t, filepath.Join(bin, "awk"), "echo "+set)
	}
	command := exec.Command("./runc-bounded", args...)
	command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
}

func writeScript(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
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

// withoutChown is a bounding set in the kernel's format: all capabilities but the first.
const withoutChown = "000001fffffffffe"

func TestRuncBounded(t *testing.T) {
	asked := process{
		// A word of the program that looks like a capability.
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
			bounded(t, withoutChown, args...)
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
		bounded(t, withoutChown, "exec", "--process", file, "id")
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
		bounded(t, withoutChown, "exec", "--process", file, "id")
		var got process
		readJSON(t, file, &got)
		if diff := cmp.Diff(plain, got); diff != "" {
			t.Errorf("process (-want +got):\n%s", diff)
		}
	})
}

// TestRuncBoundedReadsTheKernel compares the wrapper's result for two capabilities
// with the capabilities of this process.
func TestRuncBoundedReadsTheKernel(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "CapBnd:")
	set, err := strconv.ParseUint(strings.Fields(after)[0], 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	asked := process{Args: []string{"true"}, Capabilities: &capabilities{Effective: []string{}}}
	want := process{Args: []string{"true"}, Capabilities: &capabilities{Bounding: []string{}, Effective: []string{}}}
	for bit, name := range map[int]string{0: "CAP_CHOWN", 5: "CAP_KILL", 36: "CAP_BLOCK_SUSPEND", 40: "CAP_CHECKPOINT_RESTORE"} {
		asked.Capabilities.Bounding = append(asked.Capabilities.Bounding, name)
		if set>>bit&1 == 1 {
			want.Capabilities.Bounding = append(want.Capabilities.Bounding, name)
		}
	}
	file := filepath.Join(t.TempDir(), "process.json")
	writeJSON(t, file, asked)
	bounded(t, "", "exec", "--process", file, "id")
	var got process
	readJSON(t, file, &got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("process (-want +got):\n%s", diff)
	}
}
