package policyfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/harness/policyfile"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

const good = `
version: rehearsal/policy/v1
architectures: [amd64]
scenarios: [update, bad-image/http-only]
challenge: true
`

// Operators copy the examples in docs: they must be right.
func TestDocumentedPolicies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"policy.yaml", "policy-fixtures-amd64.yaml", "policy-fixtures-arm64.yaml"} {
		if _, err := policyfile.Read("../../docs/" + name); err != nil {
			t.Error(err)
		}
	}
	policy, err := policyfile.Read("../../docs/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if warnings := policy.Warnings(time.Now()); len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
}

// One run names every wrong value; a gate names the first.
func TestLintReportsAllErrors(t *testing.T) {
	t.Parallel()
	text := []byte(`
version: rehearsal/policy/v1
architectures: []
scenarios: [update, update]
dispositions: [blocked/crash]
threshold: 17
`)
	var got []string
	for _, err := range policyfile.Lint(text, time.Now()).Errors {
		got = append(got, err.Error())
	}
	want := []string{
		"policy: architectures: name at least one, such as amd64",
		"policy: threshold 17: want 1 to 16",
		`policy: scenarios[1]: "update" twice`,
		`policy: dispositions[0] "blocked/crash": only promotable/compatible-rollback and promotable/restore-required can promote`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if _, err := policyfile.Parse(text); err == nil || err.Error() != want[0] {
		t.Errorf("Parse: %v, want %s", err, want[0])
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, errors, warnings string }{
		"good":             {good, "", ""},
		"fixtures":         {good + "fixtures: true\n", "", "fixtures: "},
		"empty members":    {good + "runs: 0\n", "", "runs: 0 means the default, 1: "},
		"broken":           {": {", "yaml: ", ""},
		"unknown member":   {good + "fixture: true\n", `unknown member "fixture"`, ""},
		"second document":  {good + "---\nexpires: 2020-01-01T00:00:00Z\n", "something stands after its first document", ""},
		"too large":        {good + strings.Repeat("#", gate.MaxPolicy), "more than 262144 bytes", ""},
		"ended since ever": {good + "expires: 0001-01-01T00:00:00Z\n", "expires: zero stands for none", ""},
	} {
		report := policyfile.Lint([]byte(tt.text), time.Now())
		if got := errors.Join(report.Errors...); (got == nil) != (tt.errors == "") || got != nil && !strings.Contains(got.Error(), tt.errors) {
			t.Errorf("%s: errors %v, want %q", name, got, tt.errors)
		}
		if got := strings.Join(report.Warnings, "\n"); (got == "") != (tt.warnings == "") || !strings.Contains(got, tt.warnings) {
			t.Errorf("%s: warnings %q, want %q", name, got, tt.warnings)
		}
		if (report.Digest == "") != (tt.errors != "") {
			t.Errorf("%s: digest %q", name, report.Digest)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if _, err := policyfile.Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if _, err := policyfile.LintFile(path, time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if err := os.WriteFile(path, []byte("version: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := policyfile.Read(path); err == nil || !strings.HasPrefix(err.Error(), path+": policy: ") {
		t.Errorf("no policy: %v", err)
	}
}
