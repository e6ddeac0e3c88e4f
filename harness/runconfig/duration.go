package runconfig

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

// Duration is a time.Duration written as Go writes it: "90s".
type Duration time.Duration

// MaxDuration is the longest duration that a configuration can ask for.
const MaxDuration = Duration(24 * time.Hour)

// durationPattern is narrower than time.ParseDuration: a sign would have no use.
const durationPattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

var durationForm = regexp.MustCompile(durationPattern)

// parseDuration reads a duration that is positive and at most MaxDuration. The error goes on after the text.
func parseDuration(text string) (Duration, error) {
	if strings.HasPrefix(text, "-") {
		return 0, errors.New("is negative: give more than 0s")
	}
	if text == "0" {
		return 0, errors.New("is zero: give more than 0s")
	}
	if !durationForm.MatchString(text) {
		return 0, errors.New("is not a duration: give numbers with units, such as 90s, 2m or 1h30m")
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil || Duration(d) > MaxDuration: // the form is right, so the error is of a number that is too large
		return 0, errors.New("is too long: give at most " + MaxDuration.String())
	case d <= 0:
		return 0, errors.New("is zero: give more than 0s")
	}
	return Duration(d), nil
}

// String leaves out the zeros that time.Duration shows: "2m" and not "2m0s".
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalText writes the form that Parse reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
