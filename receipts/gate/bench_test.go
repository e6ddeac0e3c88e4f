//go:build unix

package gate_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// manyRuns returns signed runs with n receipts in all. Each run plays every scenario.
func manyRuns(t testing.TB, n int) []gate.Input {
	t.Helper()
	var inputs []gate.Input
	for i := 0; n > 0; i++ {
		run := receiptstest.RunOf("amd64", receiptstest.EveryScenario()...)
		run.ID = fmt.Sprintf("run-%d", i)
		inputs = append(inputs, signed(t, run)...)
		n -= len(run.Receipts)
	}
	return inputs
}

// BenchmarkDecide verifies and decides. Targets: 64 receipts in 10 ms, 10,000 in 1.5 s. More than half of the time goes into
// the signatures, which Decide verifies on all cores; -cpu 1 limits it to one. On a busy machine, cpu-ms/op is the reliable
// number.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{64, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			inputs := manyRuns(b, n)
			p := suitePolicy()
			p.Scenarios = receiptstest.EveryScenario()
			trusted, question := trust(b, p), gate.Question{Candidate: candidateOf(statement.ScenarioCompatibleRollback)}
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if d := gate.Decide(p, trusted, question, slices.Values(inputs), now()); !d.Promote {
					b.Fatalf("held: %+v", d.Reasons)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// cpuTime returns the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkOpen(b *testing.B) {
	raw, _, err := attestation.SignReceipt(receiptstest.Receipt(statement.ScenarioRestoreRequired), signer())
	if err != nil {
		b.Fatal(err)
	}
	keys := []dsse.Key{receiptstest.Public(signer())}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := attestation.Open(raw, keys, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluation(b *testing.B) {
	r := receiptstest.Receipt(statement.ScenarioRestoreRequired)
	b.ReportAllocs()
	for b.Loop() {
		evaluation.Of(r)
	}
}
