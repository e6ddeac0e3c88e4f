package gate

import (
	"iter"
	"runtime"
	"sync"
)

// takeAll opens inputs on as many cores as the program may use: verifying its signature is most of the work on a document.
// They are handed out where the caller is, and taken one at a time.
//
// A panic in opening one, which only a fault of this package can cause, is the caller's to recover from, too.
func (d *admission) openAll(inputs iter.Seq[Input]) {
	var taking sync.Mutex
	var panicked any
	take := func(input Input) {
		defer func() {
			if p := recover(); p != nil {
				under(&taking, func() { panicked = p })
			}
		}()
		document, err := d.open(input.Raw)
		under(&taking, func() { d.take(input, document, err) })
	}
	waiting := make(chan Input)
	var cores sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		cores.Go(func() {
			for input := range waiting {
				take(input)
			}
		})
	}
	func() {
		defer cores.Wait()
		defer close(waiting)
		for input := range inputs {
			waiting <- input
		}
	}()
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
