package attestation_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Sign refuses what cannot be read back.
func TestReceiptsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *statement.Receipt){
		"long string": func(r *statement.Receipt) { r.Checkpoints[1].Joins[0].HTTP = strings.Repeat("x", 64<<10+1) },
		"long list":   func(r *statement.Receipt) { r.Spans = make([]statement.Span, 65537) },
		"large receipt": func(r *statement.Receipt) {
			for range 200 {
				r.Checkpoints = append(r.Checkpoints, statement.Checkpoint{Message: strings.Repeat("x", 60<<10)})
			}
		},
	} {
		r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
		change(&r)
		if _, _, err := attestation.SignReceipt(r, receiptstest.ECDSA("harness")); refusal.CodeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestManifestsRefused(t *testing.T) {
	t.Parallel()
	good := receiptstest.UpdateManifest(receiptstest.Digest("receipt"))
	tests := map[string]func(m *statement.Manifest){
		"no run":               func(m *statement.Manifest) { m.Run = "" },
		"no cells":             func(m *statement.Manifest) { m.Cells = nil },
		"no start":             func(m *statement.Manifest) { m.StartedAt = time.Time{} },
		"ends before it began": func(m *statement.Manifest) { m.FinishedAt = m.StartedAt.Add(-1) },
		"cell without file":    func(m *statement.Manifest) { m.Cells[0].File = "" },
		"cell without digest":  func(m *statement.Manifest) { m.Cells[0].Candidate = "latest" },
		"odd platform":         func(m *statement.Manifest) { m.Cells[0].Platform = "x" },
		"odd receipt":          func(m *statement.Manifest) { m.Cells[0].Receipt = "x" },
		"cell twice":           func(m *statement.Manifest) { m.Cells = append(m.Cells, m.Cells[0]) },
		"cell with two receipts": func(m *statement.Manifest) {
			m.Cells = append(m.Cells, m.Cells[0])
			m.Cells[1].Receipt = receiptstest.Digest("another")
		},
		"receipt of two cells": func(m *statement.Manifest) {
			m.Cells = append(m.Cells, m.Cells[0])
			m.Cells[1].Scenario = "other"
		},
	}
	if _, _, err := attestation.SignManifest(good, receiptstest.ECDSA("harness")); err != nil {
		t.Fatal(err)
	}
	for name, change := range tests {
		m := good
		m.Cells = slices.Clone(good.Cells)
		change(&m)
		if _, _, err := attestation.SignManifest(m, receiptstest.ECDSA("harness")); refusal.CodeOf(err) != refusal.ManifestInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The order of the cells makes no difference to the signed manifest.
func TestManifestIsOrdered(t *testing.T) {
	t.Parallel()
	m := receiptstest.UpdateManifest(receiptstest.Digest("receipt"))
	m.Cells = append(m.Cells, statement.Cell{Architecture: "amd64", Scenario: "a", Candidate: receiptstest.Digest("c"), File: "a"})
	reversed := m
	reversed.Cells = slices.Clone(m.Cells)
	slices.Reverse(reversed.Cells)
	if one, other := receiptstest.SignedManifest(t, m), receiptstest.SignedManifest(t, reversed); !bytes.Equal(one, other) {
		t.Error("it does")
	}
}

// The digest of a document is that of its payload. A further signature does not change it, and it needs no canonical form.
func TestDigestIsThatOfThePayload(t *testing.T) {
	t.Parallel()
	raw, digest, err := attestation.SignReceipt(receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("harness"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := dsse.Countersign(raw, receiptstest.Ed25519("b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range [][]byte{raw, more} {
		document, err := attestation.Open(form, receiptstest.Keys(receiptstest.ECDSA("harness")), 1)
		if err != nil || document.Digest != digest || document.Digest != statement.Digest(receiptstest.ParseEnvelope(t, form).Payload) {
			t.Errorf("%v, %v", document, err)
		}
	}
}

func TestReceiptsReadBackUnchanged(t *testing.T) {
	t.Parallel()
	for _, scenario := range append(receiptstest.Scenarios(), statement.ScenarioUpdate) {
		r := receiptstest.Receipt(scenario)
		r.Checkpoints[1].Message = "é <html> & \x1b[31m \xff"
		r.Run.StartedAt = r.Run.StartedAt.In(time.FixedZone("CET", 3600))
		want := evaluation.Complete(r)
		document, err := attestation.Open(receiptstest.SignedReceipt(t, r, receiptstest.ECDSA("harness")), receiptstest.Keys(receiptstest.ECDSA("harness")), 1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, *document.Receipt); diff != "" {
			t.Errorf("%s:\n%s", scenario, diff)
		}
		if !strings.Contains(want.Checkpoints[1].Message, "\uFFFD") || want.Run.StartedAt.Location() != time.UTC {
			t.Errorf("%s: not normalized: %q, %s", scenario, want.Checkpoints[1].Message, want.Run.StartedAt)
		}
	}
	empty := statement.Receipt{}
	if _, err := attestation.Open(receiptstest.SignedReceipt(t, empty, receiptstest.ECDSA("harness")), receiptstest.Keys(receiptstest.ECDSA("harness")), 1); err != nil {
		t.Errorf("the receipt of a run that observed nothing: %v", err)
	}
}

func TestReadUnverified(t *testing.T) {
	t.Parallel()
	raw := receiptstest.SignedReceipt(t, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("stranger"))
	document, err := attestation.ReadUnverified(raw)
	if err != nil || document.Receipt == nil || document.SignedBy != nil {
		t.Errorf("%+v, %v", document, err)
	}
	payload := receiptstest.Replace(t, receiptstest.ParseEnvelope(t, raw).Payload, `"verdict":"PASSED"`, `"verdict":"FAILED"`)
	for name, bad := range map[string][]byte{
		"no envelope":  []byte("{}"),
		"another type": receiptstest.Seal(t, "text/plain", payload, receiptstest.ECDSA("harness")),
		"no statement": receiptstest.Seal(t, dsse.PayloadType, []byte("{}"), receiptstest.ECDSA("harness")),
		"a lie":        receiptstest.Seal(t, dsse.PayloadType, payload, receiptstest.ECDSA("harness")),
	} {
		if _, err := attestation.ReadUnverified(bad); refusal.CodeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
