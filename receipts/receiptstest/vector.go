package receiptstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
)

// Vector is a test vector of receipts/testdata/vectors: the inputs of a decision, and the expected result.
// docs/receipt-format.md describes the files, so that other implementations can use them.
type Vector struct {
	Name        string        `json:"-"` // path below the vectors' directory, without ".json"
	Description string        `json:"description"`
	Origin      string        `json:"origin,omitempty"` // a known fault of another gate that the vector reproduces
	Policy      gate.Policy   `json:"policy"`
	Keys        []string      `json:"keys"` // PEM of keys that sign receipts, in addition to those of the policy
	Question    gate.Question `json:"question"`
	Now         time.Time     `json:"now"`
	Inputs      []VectorInput `json:"inputs"`
	Expect      Expectation   `json:"expect"`
}

// VectorInput is an input: text, or binary data in base64.
type VectorInput struct {
	Name   string `json:"name"`
	Text   string `json:"text,omitempty"`
	Binary []byte `json:"binary,omitempty"`
}

// Raw returns the bytes of the input.
func (i VectorInput) Raw() []byte { return append([]byte(i.Text), i.Binary...) }

// Expectation is the expected result of a decision.
type Expectation struct {
	Promote bool                    `json:"promote"`
	Reasons []refusal.Code          `json:"reasons"` // in order, each once
	Refused map[string]refusal.Code `json:"refused"` // by the name of the input
}

// Vectors reads every vector below a directory.
func Vectors(dir string) ([]Vector, error) {
	var all []Vector
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		v, err := readVector(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		v.Name = strings.TrimSuffix(filepath.ToSlash(path[len(dir)+1:]), ".json")
		all = append(all, v)
		return nil
	})
	return all, err
}

func readVector(path string) (v Vector, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return v, dec.Decode(&v)
}

// Decide decides on the vector.
func (v Vector) Decide() (gate.Decision, error) {
	var keys []dsse.Key
	for _, text := range v.Keys {
		key, err := dsse.ParseKey([]byte(text))
		if err != nil {
			return gate.Decision{}, err
		}
		keys = append(keys, key)
	}
	trust, err := gate.TrustOf(v.Policy, keys...)
	if err != nil {
		return gate.Decision{}, err
	}
	var inputs []gate.Input
	for _, input := range v.Inputs {
		inputs = append(inputs, gate.Input{Name: input.Name, Raw: input.Raw()})
	}
	return gate.Decide(v.Policy, trust, v.Question, slices.Values(inputs), v.Now), nil
}
