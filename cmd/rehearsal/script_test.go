package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

var update = flag.Bool("update", false, "write the expected output of the scripts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rehearsal": main})
}

// TestScripts runs the verbs that work on receipts as their users do. Runs and keys are made up by receiptstest.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		UpdateScripts:      *update,
		Setup:              setupScript,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":  exits,
			"mkrun":  makeRun,
			"mksign": makeSignature,
		},
	})
}

// setupScript gives scripts the keys of receiptstest, and its candidates and times as variables.
func setupScript(env *testscript.Env) error {
	env.Setenv("AT", receiptstest.Time().Add(time.Hour).Format(time.RFC3339))
	env.Setenv("COMPATIBLE", receiptstest.Candidate(statement.ScenarioCompatibleRollback).Digest)
	env.Setenv("RESTORE", receiptstest.Candidate(statement.ScenarioRestoreRequired).Digest)
	env.Setenv("HTTPONLY", receiptstest.Candidate(statement.ScenarioHTTPOnly).Digest)
	env.Setenv("UNPULLABLE", receiptstest.Candidate(statement.ScenarioUnpullable).Digest)
	env.Setenv("TEMPLATE", receiptstest.Candidate(statement.ScenarioCompatibleRollback).TemplateDigest)
	for _, name := range []string{"harness", "stranger"} {
		signer := receiptstest.ECDSA(name)
		if err := os.WriteFile(filepath.Join(env.WorkDir, name+".pub"), receiptstest.Public(signer).PEM(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// exits runs a program that must end with a code: exits 1 rehearsal gate …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// makeRun writes a run of the whole suite into a directory: mkrun dir [failed|hostile|now|QUERY|JOINED|NONCE]
func makeRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: mkrun dir [change]")
	}
	run := receiptstest.NewRun("amd64")
	for _, change := range args[1:] {
		switch change {
		case "failed":
			run.ID = "run-failed"
			run.Receipt(statement.ScenarioCompatibleRollback).Fleet[0].Restarts = 1
		case "now":
			run.ID, run.Shift = "run-now", time.Since(receiptstest.Time()).Truncate(time.Second)-10*time.Minute
		case "hostile":
			run.Receipt(statement.ScenarioHTTPOnly).Checkpoints[1].Message = "\x1b[2J\u202eDESSAP"
		case statement.Query, statement.Joined:
			run.Receipts = []statement.Receipt{shallow(change)}
		default:
			run.ID, run.Challenge = "run-"+change, change
		}
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, statement.JournalFile(statement.ScenarioCompatibleRollback, "amd64"))
	r := run.Receipt(statement.ScenarioCompatibleRollback)
	if r != nil {
		r.Journal = note(ts, path, journal.Entry{Kind: journal.Baseline, Image: r.Baseline.Digest})
	}
	inputs, err := run.Sign(receiptstest.ECDSA("harness"))
	ts.Check(err)
	for _, input := range inputs {
		ts.Check(os.WriteFile(filepath.Join(dir, input.Name), input.Raw, 0o644))
		document, err := attestation.ReadUnverified(input.Raw)
		ts.Check(err)
		if r != nil && document.Receipt != nil && document.Receipt.Run.Scenario == r.Run.Scenario {
			note(ts, path, journal.Entry{Kind: journal.Admitted, Image: r.Candidate.Digest, Receipt: document.Digest})
		}
	}
}

// shallow is a user's update whose players went no deeper than asked.
func shallow(depth string) statement.Receipt {
	r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
	r.Run.Depth = depth
	for i := range r.Checkpoints {
		for j := range r.Checkpoints[i].Joins {
			r.Checkpoints[i].Joins[j].Depth = depth
		}
	}
	return r
}

// note adds an entry to a rollout journal, and returns the journal's state.
func note(ts *testscript.TestScript, path string, entry journal.Entry) statement.JournalState {
	rollout, err := journal.Open(path)
	ts.Check(err)
	defer rollout.Close() //nolint:errcheck // what was appended is on the disk
	entry.At = receiptstest.Time()
	_, err = rollout.Append(entry)
	ts.Check(err)
	return rollout.State()
}

// makeSignature signs the receipt of an update with a private key: mksign key file
func makeSignature(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mksign key file")
	}
	signer, err := dsse.ParsePrivateKey([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	raw, _, err := attestation.SignReceipt(receiptstest.Receipt(statement.ScenarioUpdate), signer)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), raw, 0o644))
}
