package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	signer := receiptstest.ECDSA("harness")
	run := receiptstest.RunOf("amd64", statement.ScenarioUpdate)
	run.Challenge = "nonce-1"
	inputs, err := run.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range inputs {
		if err := os.WriteFile(filepath.Join(dir, input.Name), input.Raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	policy := filepath.Join(t.TempDir(), "policy.json")
	text, err := json.Marshal(gate.Policy{
		Version: gate.PolicyVersion, Architectures: []string{"amd64"}, Scenarios: []string{statement.ScenarioUpdate},
		Fixtures: true, Challenge: true,
		Keys: []gate.PolicyKey{{PEM: string(receiptstest.Public(signer).PEM())}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, text, 0o644); err != nil {
		t.Fatal(err)
	}
	now := receiptstest.Time().Add(time.Hour)
	question := gate.Question{Candidate: receiptstest.Candidate(statement.ScenarioUpdate).Digest, Challenge: "nonce-1"}

	if d, err := admit(policy, dir, question, now); err != nil || !d.Promote {
		t.Errorf("held: %+v, %v", d.Reasons, err)
	}
	if d, err := admit(policy, t.TempDir(), question, now); err != nil || d.Promote || len(d.Reasons) == 0 {
		t.Errorf("an empty directory is admitted: %v", err)
	}
	question.Challenge = "nonce-2"
	if d, err := admit(policy, dir, question, now); err != nil || d.Promote {
		t.Errorf("a replay is admitted: %v", err)
	}
	for _, paths := range [][2]string{{"none", dir}, {policy, "none"}, {filepath.Join(dir, inputs[0].Name), dir}} {
		if d, err := admit(paths[0], paths[1], question, now); err == nil || d.Promote {
			t.Errorf("%q: no error", paths)
		}
	}
}

func TestExampleIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines >= 60 {
		t.Errorf("%d lines: want under 60", lines)
	}
}
