package receipts_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// manyRuns makes signed runs of the whole suite until there are at least n receipts.
func manyRuns(t testing.TB, n int) []receipts.Input {
	t.Helper()
	var inputs []receipts.Input
	for i := 0; i*len(receiptstest.Scenarios()) < n; i++ {
		run := receiptstest.NewRun("amd64")
		run.ID = fmt.Sprintf("run-%d", i)
		inputs = append(inputs, signed(t, run)...)
	}
	return inputs
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{64, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			inputs := manyRuns(b, n)
			p := suitePolicy()
			trusted, question := trust(b, p), receipts.Question{Candidate: candidateOf(receipts.ScenarioCompatibleRollback)}
			b.ReportAllocs()
			for b.Loop() {
				if d := receipts.Decide(p, trusted, question, slices.Values(inputs), now()); !d.Promote {
					b.Fatalf("held: %+v", d.Reasons)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	raw, _, err := receipts.SignReceipt(receiptstest.Receipt(receipts.ScenarioRestoreRequired), signer())
	if err != nil {
		b.Fatal(err)
	}
	keys := []receipts.Key{receiptstest.Public(signer())}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := receipts.Open(raw, keys, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	r := receiptstest.Receipt(receipts.ScenarioRestoreRequired)
	b.ReportAllocs()
	for b.Loop() {
		receipts.Evaluate(r)
	}
}

var _ iter.Seq[receipts.Input]
