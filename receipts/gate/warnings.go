package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Bounds at which Warnings warns.
const (
	longAge     = 30 * 24 * time.Hour
	wideSkew    = time.Hour
	expiresSoon = 14 * 24 * time.Hour
)

// Warnings returns what the author of a valid policy may not have intended, or should look after, as of now. Each warning
// begins with the member that it is about.
func (p Policy) Warnings(now time.Time) []string {
	p = p.withDefaults()
	var warnings []string
	warn := func(when bool, format string, args ...any) {
		if when {
			warnings = append(warnings, fmt.Sprintf(format, args...))
		}
	}
	for _, scenario := range p.Scenarios {
		warn(!evaluation.KnownScenario(scenario), "scenarios: %q is not known: no receipt can pass it", scenario)
	}
	bad := slices.ContainsFunc(p.Scenarios, func(s string) bool { return strings.HasPrefix(s, "bad-image/") })
	warn(!bad, "scenarios: no bad image: nothing shows that the harness can block one")
	for _, architecture := range p.Architectures {
		warn(!slices.Contains([]string{"amd64", "arm64"}, architecture), "architectures: %q is no GOARCH that rehearsals run on: amd64, arm64", architecture)
	}
	warn(!p.Challenge, "challenge: not wanted: an old run can be given again until it is %s old", time.Duration(p.MaxAge))
	warn(p.Fixtures, "fixtures: games made for tests are promoted")
	warn(p.Emulated, "emulated: an emulated processor is taken for a real one")
	warn(p.OpenEgress, "openEgress: a clone may have spoken to the outside")
	warn(p.MinimumDepth != statement.Held, "minimumDepth: %s: nobody needs to have stayed, edited and saved", p.MinimumDepth)
	warn(time.Duration(p.MaxAge) > longAge, "maxAge: evidence counts for %s", time.Duration(p.MaxAge))
	warn(time.Duration(p.ClockSkew) > wideSkew, "clockSkew: clocks may differ by %s", time.Duration(p.ClockSkew))
	warn(!p.Expires.IsZero() && now.After(p.Expires), "expires: the policy has expired and promotes nothing")
	warnings = append(warnings, keyWarnings("keys", p.Keys, now)...)
	warnings = append(warnings, keyWarnings("overrideKeys", p.OverrideKeys, now)...)
	usable := len(slices.DeleteFunc(slices.Clone(p.Keys), func(k PolicyKey) bool { return k.Revoked }))
	warn(len(p.Keys) > 0 && usable < p.Threshold, "threshold: %d keys must sign, and %d are named that may", p.Threshold, usable)
	return warnings
}

func keyWarnings(member string, keys []PolicyKey, now time.Time) []string {
	var warnings []string
	for i, key := range keys {
		switch {
		case key.Revoked || key.NotAfter.IsZero():
		case now.After(key.NotAfter):
			warnings = append(warnings, fmt.Sprintf("%s[%d]: expired at %s", member, i, key.NotAfter.Format(time.RFC3339)))
		case now.Add(expiresSoon).After(key.NotAfter):
			warnings = append(warnings, fmt.Sprintf("%s[%d]: expires at %s", member, i, key.NotAfter.Format(time.RFC3339)))
		}
	}
	return warnings
}
