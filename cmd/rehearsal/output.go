package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
)

// output remembers a failed write: an answer that nobody got is no success.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return exit.Cannot(fmt.Errorf("standard output: %w", o.err))
}

// newLogger returns the logger for progress: short lines for people, on standard error. Standard output holds results
// alone.
func newLogger(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, attr slog.Attr) slog.Attr {
			if len(groups) == 0 && attr.Key == slog.TimeKey {
				return slog.String(slog.TimeKey, attr.Value.Time().Format(time.TimeOnly))
			}
			return attr
		},
	}))
}
