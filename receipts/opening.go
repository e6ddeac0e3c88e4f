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
				failing.Lock()
				defer failing.Unlock()
				panicked = p
			}
		}()
		for {
			input, ok := locked(&reading, next)
			if !ok {
				return
			}
			document, err := d.open(input.Raw)
			taking.Lock()
			d.take(input, document, err)
			taking.Unlock()
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

// locked calls f while it holds a lock.
func locked[T any](mu *sync.Mutex, f func() (T, bool)) (T, bool) {
	mu.Lock()
	defer mu.Unlock()
	return f()
}
