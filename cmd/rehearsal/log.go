package main

import (
	"io"
	"log/slog"
	"time"
)

// newLogger returns the logger for progress: short lines for people, on standard error, so that standard output
// holds results alone.
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
