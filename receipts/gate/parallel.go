package gate

import (
	"iter"
	"runtime"
	"sync"
)

// openAll verifies inputs on all cores that the program may use, because verifying the signature is most of the work on a
// document. It iterates over the inputs in the caller's goroutine, and adds one verified document at a time.
//
// If verifying a document panics, which only a fault of this package can cause, openAll panics in the caller's goroutine.
func (a *admission) openAll(inputs iter.Seq[Input]) {
	var mu sync.Mutex
	var panicked any
	process := func(input Input) {
		defer func() {
			if p := recover(); p != nil {
				withLock(&mu, func() { panicked = p })
			}
		}()
		document, err := a.open(input.Raw)
		withLock(&mu, func() { a.addInput(input, document, err) })
	}
	queue := make(chan Input)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for input := range queue {
				process(input)
			}
		})
	}
	func() {
		defer workers.Wait()
		defer close(queue)
		for input := range inputs {
			queue <- input
		}
	}()
	if panicked != nil {
		panic(panicked)
	}
}

// withLock calls f while it holds a lock. It releases the lock after a panic too.
func withLock(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}
