package main

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// repeated is a text over and over, up to a number of bytes.
type repeated struct {
	text string
	left int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(r.text) <= len(p) && n < r.left {
		n += copy(p[n:], r.text)
	}
	r.left -= n
	return n, nil
}

// A GiB on standard input must not claim memory, in one line or in many. Not parallel: it measures.
func TestStandardInputIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		text    string
		size    int
		largest int
	}{
		"one line":    {strings.Repeat("x", 4096), 1 << 30, dsse.MaxEnvelope + 1},
		"long lines":  {strings.Repeat("x", 1<<15-1) + "\n", 1 << 30, 1<<15 - 1},
		"short lines": {"x\n", 1 << 20, 1},
		"empty lines": {strings.Repeat("\n", 4096), 1 << 20, 0},
	} {
		inputs := &signedInputs{paths: []string{"-"}, stdin: &repeated{tt.text, tt.size}}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		largest, peak := 0, uint64(0)
		count := 0
		for input := range inputs.All {
			largest = max(largest, len(input.Raw))
			if count++; count%4096 == 1 {
				runtime.ReadMemStats(&after)
				peak = max(peak, after.HeapAlloc)
			}
		}
		if inputs.Err() != nil || largest != tt.largest {
			t.Errorf("%s: the largest input has %d bytes, want %d: %v", name, largest, tt.largest, inputs.Err())
		}
		if used := max(peak, before.HeapAlloc) - before.HeapAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB claimed", name, used>>20)
		}
	}
}
