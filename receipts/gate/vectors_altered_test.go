package gate_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// leaf is a value in a JSON text, with its path without indices.
type leaf struct {
	path       string
	start, end int
}

// leaves returns the first value at every path.
func leaves(t testing.TB, text []byte) []leaf {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var found []leaf
	seen := map[string]bool{}
	var walk func(path string)
	walk = func(path string) {
		before := dec.InputOffset()
		token, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			for dec.More() {
				name, err := dec.Token()
				if err != nil {
					t.Fatal(err)
				}
				walk(strings.TrimPrefix(path+"."+name.(string), "."))
			}
		case json.Delim('['):
			for dec.More() {
				walk(path)
			}
		default:
			start := int(before) + bytes.IndexFunc(text[before:], func(r rune) bool { return !strings.ContainsRune(":, ", r) })
			if !seen[path] {
				seen[path] = true
				found = append(found, leaf{path, start, int(dec.InputOffset())})
			}
			return
		}
		if _, err := dec.Token(); err != nil { // the end of the object or list
			t.Fatal(err)
		}
	}
	walk("")
	return found
}

// changed returns another value of the same type.
func changed(t testing.TB, value string) string {
	t.Helper()
	switch {
	case value == "true":
		return "false"
	case value == "false":
		return "true"
	case strings.HasPrefix(value, `"`):
		// Only the last letter or digit changes, so that digests, times and numbers in strings stay well-formed.
		at := strings.LastIndexAny(value, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY")
		if at < 0 {
			return `"x"`
		}
		return value[:at] + string(next(value[at])) + value[at+1:]
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(n + 1)
}

func next(c byte) byte {
	switch c {
	case '9':
		return '8'
	case 'z':
		return 'y'
	case 'f':
		return 'e'
	}
	return c + 1
}

// alteredVectors change every field of a receipt and leave its signature as it is.
func alteredVectors(t testing.TB) []vector {
	r := smallReceipt("amd64")
	r.Checkpoints, r.Spans = r.Checkpoints[1:], r.Spans[:1]
	r.Run.Depth, r.Run.Challenge = statement.Held, "nonce"
	r.Candidate.PlatformDigest, r.Candidate.Bundle = r.Candidate.Digest, r.Candidate.TemplateDigest
	r.Baseline.PlatformDigest, r.Baseline.Bundle = r.Baseline.Digest, r.Baseline.TemplateDigest
	receiptstest.At(&r, statement.Rollback).Reason, receiptstest.At(&r, statement.Rollback).Message = "none", "none"
	receiptstest.At(&r, statement.Candidate).World.FormatMarker, receiptstest.At(&r, statement.Candidate).World.Damaged = "3578", 1
	receiptstest.At(&r, statement.Candidate).Joins[0].HTTP = "body"
	r.Fault = &statement.Fault{Class: statement.FaultHarness, Step: "step", Message: "message"}
	vectors := alterEach(t, r, "")

	// Members that came later are altered in another receipt, so that the earlier vectors stay as they are.
	backup := *r.Backup
	backup.Origin = &statement.Origin{Server: "survival", Backup: "nightly", Snapshot: r.Backup.Snapshot}
	r.Backup = &backup
	return append(vectors, alterEach(t, r, "predicate.backup.origin.")...)
}

// alterEach changes every field of a receipt below a path.
func alterEach(t testing.TB, r statement.Receipt, below string) []vector {
	raw := receiptstest.SignedReceipt(t, r, signer())
	payload := receiptstest.ParseEnvelope(t, raw).Payload

	var vectors []vector
	for _, leaf := range leaves(t, payload) {
		if !strings.HasPrefix(leaf.path, below) {
			continue
		}
		value := string(payload[leaf.start:leaf.end])
		text := string(payload[:leaf.start]) + changed(t, value) + string(payload[leaf.end:])
		v := newVector(t, "altered/"+leaf.path, "The field "+leaf.path+" of a signed receipt is altered.")
		v.inputs = []gate.Input{{Name: updateFile, Raw: receiptstest.WithPayload(t, raw, []byte(text))}}
		v.reasons = nothingCounts()
		v.refused = map[string]refusal.Code{updateFile: refusal.SignatureInvalid}
		vectors = append(vectors, v)
	}
	return vectors
}

// fieldPaths returns the paths of all members of a document's type that hold a value.
func fieldPaths(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldPaths(t.Elem(), path)
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			break
		}
		var paths []string
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			paths = append(paths, fieldPaths(t.Field(i).Type, path+"."+name)...)
		}
		return paths
	}
	return []string{path}
}

func TestEveryFieldIsAltered(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, v := range alteredVectors(t) {
		made[v.name] = true
	}
	for _, path := range fieldPaths(reflect.TypeFor[statement.Receipt](), "predicate") {
		if !made["altered/"+path] {
			t.Errorf("no vector alters %s", path)
		}
	}
}
