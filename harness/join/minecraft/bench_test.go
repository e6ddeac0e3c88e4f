package minecraft_test

import (
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
)

// BenchmarkHeld measures the time that a session to HELD needs in addition to its hold. The budget is 200 ms.
func BenchmarkHeld(b *testing.B) {
	const hold = 100 * time.Millisecond
	server := gametest.Start(b, gametest.A, gametest.NewVolumes(b))
	var beyond time.Duration
	for b.Loop() {
		start := time.Now()
		result := join.Probe(b.Context(), server.Address, join.Options{Hold: hold, Edit: true})
		beyond += time.Since(start) - hold
		if !result.AtLeast(join.Held) {
			b.Fatalf("got %+v", result)
		}
	}
	b.ReportMetric(float64(beyond.Microseconds())/1000/float64(b.N), "ms-beyond-hold/op")
}
