package join

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Defaults and limits of Options.
const (
	DefaultGame     = "minecraft"
	DefaultPlayer   = "rehearsal"
	DefaultDeadline = 15 * time.Second
	DefaultStage    = 5 * time.Second
	MaxHold         = time.Hour
	MaxName         = 16 // bytes of a player's name
	MarkerDigits    = 16 // of a marker and of a trace
)

// validMarker reports whether s can be a marker or a trace: 16 lower-case hexadecimal digits.
func validMarker(s string) bool {
	return len(s) == MarkerDigits && strings.Trim(s, "0123456789abcdef") == ""
}

// complete fills in defaults and refuses invalid options.
func (o Options) complete() (Options, error) {
	setDefault(&o.Game, DefaultGame)
	setDefault(&o.Name, DefaultPlayer)
	setDefault(&o.Deadline, DefaultDeadline)
	setDefault(&o.Stage, min(DefaultStage, o.Deadline))
	if len(o.Name) > MaxName {
		return o, fmt.Errorf("player's name %q is longer than %d bytes", o.Name, MaxName)
	}
	if strings.ContainsFunc(o.Name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return o, fmt.Errorf("player's name %q is not printable ASCII without spaces", o.Name)
	}
	if o.Protocol < 0 || o.Protocol > math.MaxInt32 {
		return o, fmt.Errorf("protocol %d is not between 0 and %d", o.Protocol, math.MaxInt32)
	}
	if o.Deadline < 0 || o.Stage < 0 {
		return o, fmt.Errorf("deadlines must be positive: %s for the session, %s per stage", o.Deadline, o.Stage)
	}
	if o.Hold < 0 || o.Hold > MaxHold {
		return o, fmt.Errorf("hold of %s is not between 0 and %s", o.Hold, MaxHold)
	}
	for name, value := range map[string]string{
		"marker to set": o.SetMarker, "wanted marker": o.WantMarker, "wanted trace": o.WantTrace,
	} {
		if value != "" && !validMarker(value) {
			return o, fmt.Errorf("%s %q is not %d lower-case hexadecimal digits", name, value, MarkerDigits)
		}
	}
	if o.Progress == nil {
		o.Progress = func(string, string) {}
	}
	return o, nil
}

func setDefault[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}
