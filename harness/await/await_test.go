package await

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watches hands out one watch after another; nil is a watch that cannot be opened.
type watches chan *watch.FakeWatcher

func (w watches) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if options.FieldSelector != "metadata.name=it" {
		return nil, errors.New("watches more than the subject: " + options.FieldSelector)
	}
	select {
	case next := <-w:
		if next != nil {
			return next, nil
		}
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// looks returns a Look that is done at the nth call, and its count.
func looks(n int) (Look, *int) {
	count := new(int)
	return func(context.Context) (bool, string, error) {
		*count++
		return *count == n, "looked", nil
	}, count
}

func TestUntil(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(watches){
		"event": func(w watches) {
			events := watch.NewFake()
			w <- events
			synctest.Wait()
			events.Modify(&metav1.PartialObjectMetadata{})
		},
		"reopened watch": func(w watches) {
			first := watch.NewFake()
			w <- first
			synctest.Wait()
			first.Stop()
			w <- watch.NewFake()
		},
		"expired watch": func(w watches) {
			first := watch.NewFake()
			w <- first
			synctest.Wait()
			first.Error(&metav1.Status{Reason: metav1.StatusReasonExpired})
			w <- watch.NewFake()
		},
		"watch that could not be opened": func(w watches) {
			w <- nil
			w <- watch.NewFake()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := make(watches, 1)
				const n = 3
				look, count := looks(n)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				go play(w)
				if err := Until(ctx, "it", look, Subject{w, "it"}); err != nil || *count != n {
					t.Errorf("Until = %v after %d looks, want %d", err, *count, n)
				}
			})
		})
	}
}

func TestUntilIsDoneAtOnce(t *testing.T) {
	t.Parallel()
	look, _ := looks(1)
	if err := Until(t.Context(), "it", look); err != nil {
		t.Error(err)
	}
}

func TestTimeoutNamesTheLastState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w := make(watches, 1)
		w <- watch.NewFake()
		look, _ := looks(-1)
		err := Until(ctx, "it", look, Subject{w, "it"})
		late, ok := errors.AsType[*TimeoutError](err)
		if !ok || late.Last != "looked" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Until = %v", err)
		}
	})
}

// TestUntilWithoutAWatch: without permission to watch, a wait still sees the object, and its error names the watch.
func TestUntilWithoutAWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w := make(watches)
		go func() {
			for {
				select {
				case w <- nil:
				case <-ctx.Done():
					return
				}
			}
		}()
		look, _ := looks(5)
		if err := Until(ctx, "it", look, Subject{w, "it"}); err != nil {
			t.Error(err)
		}
		look, count := looks(-1)
		err := Until(ctx, "it", look, Subject{w, "it"})
		if err == nil || !strings.HasSuffix(err.Error(), "last seen: looked (without a watch: connection refused)") || *count < 50 {
			t.Errorf("%v after %d looks", err, *count)
		}
	})
}

func TestErrorEndsTheWait(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	err := Until(t.Context(), "it", func(context.Context) (bool, string, error) { return true, "", failed })
	if !errors.Is(err, failed) {
		t.Errorf("Until = %v", err)
	}
}
