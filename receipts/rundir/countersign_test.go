package rundir_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// The second signature is added once, and only to a signed document.
func TestCountersign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cell, err := rundir.WriteReceipt(dir, receiptstest.Receipt(statement.ScenarioUpdate), receiptstest.ECDSA("harness"))
	if err != nil {
		t.Fatal(err)
	}
	name, second := filepath.Join(dir, cell.File), receiptstest.ECDSA("second")
	for _, want := range []bool{true, false} {
		if signed, err := rundir.Countersign(name, second); err != nil || signed != want {
			t.Errorf("signed %t, want %t: %v", signed, want, err)
		}
	}
	raw, err := rundir.ReadEnvelopeFile(name)
	if err != nil {
		t.Fatal(err)
	}
	keys := []dsse.Key{receiptstest.Public(receiptstest.ECDSA("harness")), receiptstest.Public(second)}
	if _, err := attestation.Open(raw, keys, 2); err != nil {
		t.Errorf("both keys: %v", err)
	}

	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("nothing signed"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{notes, dir} {
		if _, err := rundir.Countersign(path, second); !errors.Is(err, rundir.ErrUnsignable) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := rundir.Countersign(filepath.Join(dir, "none"), second); !errors.Is(err, os.ErrNotExist) || errors.Is(err, rundir.ErrUnsignable) {
		t.Errorf("nothing there: %v", err)
	}
}
