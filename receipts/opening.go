package receipts

import (
	"iter"
	"runtime"
	"sync"
)

// takeAll opens inputs on as many cores as the program may use: verifying its signature is most of the work on a document.
// Each core reads an input, opens it, and waits for its turn to have it taken.
//
// A panic, be it of whoever hands the inputs out, is the caller's to recover from, as if there were one core.
func (d *docket) takeAll(inputs iter.Seq[Input]) {
	next, stop := iter.Pull(inputs)
	defer stop()
	var reading, taking, failing sync.Mutex
	var panicked any
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				under(&failing, func() { panicked = p })
			}
		}()
		for {
			var input Input
			var more bool
			under(&reading, func() { input, more = next() })
			if !more {
				return
			}
			document, err := d.open(input.Raw)
			under(&taking, func() { d.take(input, document, err) })
		}
	}
	var cores sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		cores.Go(work)
	}
	cores.Wait()
	if panicked != nil {
		panic(panicked)
	}
}

// under calls f while it holds a lock, which it gives back also after a panic.
func under(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}
