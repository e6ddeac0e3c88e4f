package interop

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/GameplanePanel/rehearsal/receipts"
)

// vector is what these tests need of a vector file.
type vector struct {
	name     string
	Policy   receipts.Policy   `json:"policy"`
	Keys     []string          `json:"keys"`
	Question receipts.Question `json:"question"`
	Now      time.Time         `json:"now"`
	Inputs   []struct {
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"inputs"`
	Expect struct {
		Refused map[string]receipts.Code `json:"refused"`
	} `json:"expect"`
}

func vectors(t *testing.T) []vector {
	t.Helper()
	const dir = "../testdata/vectors"
	var found []vector
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		v := vector{name: strings.TrimSuffix(filepath.ToSlash(path[len(dir)+1:]), ".json")}
		found = append(found, v)
		return json.Unmarshal(text, &found[len(found)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (v vector) decide(t *testing.T) receipts.Decision {
	t.Helper()
	var keys []receipts.Key
	for _, text := range v.Keys {
		key, err := receipts.ParseKey([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	trust, err := receipts.TrustOf(v.Policy, keys...)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []receipts.Input
	for _, input := range v.Inputs {
		inputs = append(inputs, receipts.Input{Name: input.Name, Raw: []byte(input.Text)})
	}
	return receipts.Decide(v.Policy, trust, v.Question, slices.Values(inputs), v.Now)
}

// payload is what the library finds in an envelope, and what must come of it.
type payload struct {
	text string
	code receipts.Code
}

func (v vector) payloads(t *testing.T) []payload {
	t.Helper()
	var payloads []payload
	for _, input := range v.Inputs {
		var envelope dsse.Envelope
		if json.Unmarshal([]byte(input.Text), &envelope) != nil {
			continue
		}
		if text, err := envelope.DecodeB64Payload(); err == nil {
			payloads = append(payloads, payload{string(text), v.Expect.Refused[input.Name]})
		}
	}
	return payloads
}
