package evidence

import (
	"slices"
	"sync"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Spans measures the phases of a rehearsal. Starting a phase ends the previous one.
type Spans struct {
	mu   sync.Mutex
	now  func() time.Time
	done []statement.Span
	open *statement.Span
}

// Current returns the name of the current phase, or "".
func (s *Spans) Current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return ""
	}
	return s.open.Name
}

// NewSpans returns an empty table; now is its clock.
func NewSpans(now func() time.Time) *Spans {
	return &Spans{now: now}
}

// Start ends the current phase and begins the next. waited tells people what the phase waits for.
func (s *Spans) Start(name, waited string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.open = &statement.Span{Name: name, Waited: waited, Start: s.now().UTC()}
}

// End ends the current phase and returns the table.
func (s *Spans) End() []statement.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	return slices.Clone(s.done)
}

func (s *Spans) close() {
	if s.open == nil {
		return
	}
	s.open.Millis = s.now().Sub(s.open.Start).Milliseconds()
	s.done = append(s.done, *s.open)
	s.open = nil
}
