// Package await waits for objects of a cluster to reach a state. Watches only say when to look. Every look reads from
// the API server, so the order of events does not matter, and a broken watch costs no more than one look. While no
// watch can be opened, it looks every second.
package await

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
)

// Subject is an object that a wait watches. It need not exist.
type Subject struct {
	Resource Watcher
	Name     string
}

// Watcher is the part of a typed client, for one kind in one namespace, that a wait needs.
type Watcher interface {
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// Look reads the cluster. It returns whether the wait is over, and the observed state for people. An error ends the
// wait.
type Look func(context.Context) (done bool, state string, err error)

// TimeoutError says that a wait's context ended first.
type TimeoutError struct {
	What  string // that the wait was for
	Last  string // last observed state
	Watch error  // why the last watch failed; nil if it was open
	Err   error  // why the context ended
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("%s: %v; last seen: %s", e.What, e.Err, e.Last)
	if e.Watch != nil {
		text += fmt.Sprintf(" (without a watch: %v)", e.Watch)
	}
	return text
}

// Unwrap returns why the context ended.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Until looks now, and again whenever one of the subjects may have changed, until look is done. It returns
// *TimeoutError if ctx ends first; without a deadline it waits as long as it takes.
func Until(ctx context.Context, what string, look Look, subjects ...Subject) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan error, 1)
	var unwatched error
	for _, subject := range subjects {
		go follow(ctx, subject, changed)
	}
	last := "nothing"
	for {
		done, state, err := look(ctx)
		if state != "" {
			last = state
		}
		if done && err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return &TimeoutError{What: what, Last: last, Watch: unwatched, Err: context.Cause(ctx)}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		select {
		case unwatched = <-changed:
		case <-ctx.Done():
		}
	}
}

// rewatch is the pause before a watch is reopened. A look follows, so it bounds how late a change is seen.
const rewatch = time.Second

// follow signals changed whenever the subject may have changed: at every event, and when a watch begins, since a watch
// does not report earlier changes. An error means that no watch is open.
func follow(ctx context.Context, subject Subject, changed chan<- error) {
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, subject.Name).String()
	for ctx.Err() == nil {
		events, err := subject.Resource.Watch(ctx, metav1.ListOptions{FieldSelector: selector})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			say(changed, err)
			pause(ctx, rewatch)
			continue
		}
		drain(ctx, events, changed)
	}
}

func say(changed chan<- error, err error) {
	select {
	case changed <- err:
	default: // a look is due already
	}
}

func drain(ctx context.Context, events watch.Interface, changed chan<- error) {
	defer events.Stop()
	for {
		say(changed, nil)
		select {
		case event, open := <-events.ResultChan():
			if !open || event.Type == watch.Error {
				pause(ctx, rewatch)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
