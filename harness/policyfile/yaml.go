package policyfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v2" // the parser that sigs.k8s.io/yaml uses, in the same version

	"github.com/GameplanePanel/rehearsal/receipts/gate"
)

// toJSON converts the one YAML document of a policy.
func toJSON(text []byte) ([]byte, error) {
	if len(text) > gate.MaxPolicy {
		return nil, fmt.Errorf("policy: more than %d bytes", gate.MaxPolicy)
	}
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil { // it may have several lines
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return converted, oneDocument(text)
}

// oneDocument refuses text after the first document. The conversion ignores it, and its author may count on the demands in
// it.
func oneDocument(text []byte) error {
	decoder := goyaml.NewDecoder(bytes.NewReader(text))
	var document any
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil // an empty file is refused later, for what it lacks
	}
	if err := decoder.Decode(&document); !errors.Is(err, io.EOF) {
		return errors.New(`policy: something stands after its first document: a policy is one document, end it before the "---" or "..." of another`)
	}
	return nil
}

// written holds the members whose empty value means the default. A gate.Policy shows the default alone.
type written struct {
	Dispositions *[]string `json:"dispositions"`
	MinimumDepth *string   `json:"minimumDepth"`
	Threshold    *int      `json:"threshold"`
	Runs         *int      `json:"runs"`
}

// warnEmpty warns of members that are written out as empty: they mean the default, and their author may mean none.
func warnEmpty(converted []byte, p gate.Policy) ([]string, error) {
	var w written
	if err := json.Unmarshal(converted, &w); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
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
	return warnings, nil
}
