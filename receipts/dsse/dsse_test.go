package dsse_test

import (
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// This is the test vector of the DSSE specification.
func TestPAE(t *testing.T) {
	t.Parallel()
	got := string(dsse.PAE("http://example.com/HelloWorld", []byte("hello world")))
	if want := "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
