// Package policyfile reads a gate's policies from YAML files. JSON is a part of YAML.
package policyfile

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

// Read reads a policy from a file.
func Read(path string) (gate.Policy, error) {
	text, err := readText(path)
	if err != nil {
		return gate.Policy{}, err
	}
	policy, err := Parse(text)
	if err != nil {
		return gate.Policy{}, fmt.Errorf("%s: %w", path, err)
	}
	return policy, nil
}

// Parse is gate.ParsePolicy for YAML.
func Parse(text []byte) (gate.Policy, error) {
	converted, err := toJSON(text)
	if err != nil {
		return gate.Policy{}, err
	}
	return gate.ParsePolicy(converted)
}

// Report is what Lint found in a policy.
type Report struct {
	Errors   []error  // why no gate can decide by it
	Warnings []string // what its author may not have meant; none where there are errors
	Digest   string   // identifies the policy, where there are no errors
}

// LintFile is Lint for a file. Its error means that the file cannot be read.
func LintFile(path string, now time.Time) (Report, error) {
	text, err := readText(path)
	if err != nil {
		return Report{}, err
	}
	return Lint(text, now), nil
}

// Lint looks for mistakes in a policy. It reports all wrong values in one go; text that is not a policy at all, such as
// broken YAML or an unknown member, is the only error that it reports.
func Lint(text []byte, now time.Time) Report {
	converted, err := toJSON(text)
	if err != nil {
		return Report{Errors: []error{err}}
	}
	policy, err := gate.DecodePolicy(converted)
	if err != nil {
		return Report{Errors: []error{err}}
	}
	var report Report
	for _, problem := range policy.Problems() {
		report.Errors = append(report.Errors, fmt.Errorf("policy: %w", problem))
	}
	if len(report.Errors) > 0 {
		return report
	}
	empty, err := warnEmpty(converted, policy)
	if err != nil {
		return Report{Errors: []error{err}}
	}
	return Report{Warnings: append(policy.Warnings(now), empty...), Digest: policy.Digest()}
}

// readText reads at most one byte above the limit. Parse and Lint then refuse the text.
func readText(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return io.ReadAll(io.LimitReader(file, gate.MaxPolicy+1))
}
