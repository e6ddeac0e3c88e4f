package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v2" // the parser that sigs.k8s.io/yaml reads with, and the version of it

	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

// parseWritten reads a policy in YAML, of which JSON is a part, and what stands in it where a policy only shows the
// default.
func parseWritten(text []byte) (gate.Policy, writtenPolicy, error) {
	var written writtenPolicy
	if len(text) > gate.MaxPolicy {
		return gate.Policy{}, written, fmt.Errorf("policy: more than %d bytes", gate.MaxPolicy)
	}
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil { // it may have several lines
		return gate.Policy{}, written, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	if err := oneDocument(text); err != nil {
		return gate.Policy{}, written, err
	}
	policy, err := gate.ParsePolicy(converted)
	if err != nil {
		return gate.Policy{}, written, err
	}
	if err := json.Unmarshal(converted, &written); err != nil {
		return gate.Policy{}, written, fmt.Errorf("policy: %w", err)
	}
	return policy, written, nil
}

// oneDocument refuses text after the first document, which the conversion passes over: it may hold the demands that
// their author counts on.
func oneDocument(text []byte) error {
	decoder := goyaml.NewDecoder(bytes.NewReader(text))
	var document any
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil // nothing at all is refused for what it lacks
	}
	if err := decoder.Decode(&document); !errors.Is(err, io.EOF) {
		return errors.New(`policy: something stands after its first document: a policy is one document, end it before the "---" or "..." of another`)
	}
	return nil
}

// writtenPolicy holds the members of a policy that mean something else when they are written out than they say.
type writtenPolicy struct {
	Dispositions *[]string `json:"dispositions"`
	MinimumDepth *string   `json:"minimumDepth"`
	Threshold    *int      `json:"threshold"`
	Runs         *int      `json:"runs"`
}

// warnings are about members that are written out as empty, which means the default and not nothing.
func (w writtenPolicy) warnings(p gate.Policy) []string {
	var warnings []string
	warn := func(when bool, format string, args ...any) {
		if when {
			warnings = append(warnings, fmt.Sprintf(format, args...))
		}
	}
	warn(w.Dispositions != nil && len(*w.Dispositions) == 0, "dispositions: empty means the default, %v: leave it out, or name them", p.Dispositions)
	warn(w.MinimumDepth != nil && *w.MinimumDepth == "", "minimumDepth: empty means the default, %s: leave it out, or name one", p.MinimumDepth)
	warn(w.Threshold != nil && *w.Threshold == 0, "threshold: 0 means the default, %d: leave it out, or name a number", p.Threshold)
	warn(w.Runs != nil && *w.Runs == 0, "runs: 0 means the default, %d: leave it out, or name a number", p.Runs)
	return warnings
}
