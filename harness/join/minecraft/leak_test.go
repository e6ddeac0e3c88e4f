package minecraft_test

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/fixtures/gameserver/gametest"
	"github.com/GameplanePanel/rehearsal/harness/join"
)

// TestNothingIsLeftBehind joins a hundred times in sequence and fifty times at once, and counts what remains afterwards
// on both ends. It runs alone, so that it counts only its own.
func TestNothingIsLeftBehind(t *testing.T) {
	before := holdings(t)
	server := gametest.Start(t, gametest.A, gametest.NewVolumes(t))
	for i := range 100 {
		join1(t, server, "one-after-another", i)
	}
	var sessions sync.WaitGroup
	for i := range 50 {
		sessions.Go(func() { join1(t, server, "at-once", i) })
	}
	sessions.Wait()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for after := holdings(t); after.goroutines > before.goroutines || after.files > before.files; after = holdings(t) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("before: %+v, after: %+v\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func join1(t *testing.T, server *gametest.Server, prefix string, i int) {
	name := prefix[:3] + string(rune('a'+i/26)) + string(rune('a'+i%26))
	result := join.Probe(t.Context(), server.Address, join.Options{Name: name, Deadline: time.Minute, Stage: 30 * time.Second})
	if !result.AtLeast(join.Joined) {
		t.Errorf("%s %d: %+v", prefix, i, result)
	}
}

// held is what a process can leak. Connections count as files.
type held struct{ goroutines, files int }

func holdings(t *testing.T) held {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return held{goroutines: runtime.NumGoroutine(), files: len(files)}
}
