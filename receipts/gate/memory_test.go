package gate_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/journal"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const gibibyte = 1 << 30

// endless is a reader that repeats a text up to a number of bytes.
type endless struct {
	text string
	left int
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && n < e.left {
		copied := copy(p[n:min(len(p), e.left)], e.text[e.at:])
		e.at = (e.at + copied) % len(e.text)
		n += copied
	}
	e.left -= n
	return n, nil
}

// allocated returns the number of bytes that f allocates, including those that are freed again.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A GiB of input is refused with little memory. Not parallel, because it measures.
func TestGibibyteOfHostileInput(t *testing.T) {
	const allowed = 64 << 20
	measure := func(name string, f func() error, want func(error) bool) {
		t.Helper()
		var err error
		if used := allocated(func() { err = f() }); used > allowed {
			t.Errorf("%s: %d MiB allocated", name, used>>20)
		}
		if !want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused := func(err error) bool { return refusal.CodeOf(err) != "" }
	for _, text := range []string{"x", "[", `{"a":`, `{"payloadType":"`, " ", "\n", "\x00", `"`, "1,"} {
		measure("envelope of "+text, func() error {
			raw, err := rundir.ReadEnvelope(&endless{text: text, left: gibibyte})
			if err != nil {
				return err
			}
			_, err = attestation.Open(raw, nil, 1)
			return err
		}, refused)
		measure("journal of "+text, func() error {
			_, _, _, err := journal.Read(&endless{text: text, left: gibibyte})
			return err
		}, func(err error) bool { return errors.Is(err, journal.ErrChanged) })
	}
	// The same in a text of allowed size that is read after the signature.
	key := receiptstest.Ed25519("hostile")
	for _, text := range []string{"[", `{"a":`, `"`, "[[],", `[1,`} {
		payload := []byte(strings.Repeat(text, (5<<20)/len(text)))
		raw := receiptstest.Seal(t, dsse.PayloadType, payload, key)
		measure("payload of "+text, func() error {
			_, err := attestation.Open(raw, receiptstest.Keys(key), 1)
			return err
		}, refused)
	}
	measure("policy", func() error {
		_, err := gate.ParsePolicy(make([]byte, gate.MaxPolicy+1))
		return err
	}, func(err error) bool { return err != nil })
}

// The memory of a decision grows neither with the size of receipts nor with documents of strangers. Not parallel, because
// it measures.
func TestDecisionNeedsLittleMemory(t *testing.T) {
	p := suitePolicy()
	trusted, question := trust(t, p), gate.Question{Candidate: candidateOf(statement.ScenarioCompatibleRollback)}
	held := func(inputs iter.Seq[gate.Input]) uint64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d := gate.Decide(p, trusted, question, inputs, now())
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(d)
		return max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	strangers := func(n int, raw []byte) iter.Seq[gate.Input] {
		return func(yield func(gate.Input) bool) {
			for i := range n {
				if !yield(gate.Input{Name: fmt.Sprint(i), Raw: raw}) {
					return
				}
			}
		}
	}
	if used := held(strangers(20_000, []byte("{}"))); used > 2<<20 {
		t.Errorf("%d KiB held for 20,000 documents of strangers", used>>10)
	}
	long := []byte(`{"` + strings.Repeat("a", 4<<20) + `":1}`)
	if used := held(strangers(60, long)); used > 2<<20 {
		t.Errorf("%d KiB held for 60 documents of strangers with long names in them", used>>10)
	}

	// The peak over many receipts while Decide runs; each is made when it is read.
	run := receiptstest.NewRun("amd64")
	var peak uint64
	many := func(yield func(gate.Input) bool) {
		for i := range 150 {
			run.ID = fmt.Sprintf("run-%d", i)
			for _, input := range signed(t, run) {
				if !yield(input) {
					return
				}
			}
			if i%50 == 49 {
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
		}
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if d := gate.Decide(p, trusted, question, many, now()); !d.Promote {
		t.Fatalf("held: %+v", d.Reasons)
	}
	// 750 receipts of 14 KiB each are 10 MiB.
	if used := max(peak, before.HeapAlloc) - before.HeapAlloc; used > 3<<20 {
		t.Errorf("%d KiB held for 750 receipts", used>>10)
	}
}
