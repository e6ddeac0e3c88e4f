package gate

import (
	"fmt"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// PolicyVersion is the version of policy documents.
const PolicyVersion = "rehearsal/policy/v1"

// MaxPolicy is the maximum size of a policy in bytes. ParsePolicy does not read a larger one.
const MaxPolicy = 256 << 10

// Policy says what a gate demands before it promotes. A policy allows only what it names: no architecture, scenario,
// restore, fixture, emulated processor or open cluster counts by default. Further demands are optional: a challenge,
// several keys or runs, and an expiry of the policy or of a key.
type Policy struct {
	Version       string   `json:"version"`       // PolicyVersion
	Architectures []string `json:"architectures"` // at least one; each needs its own evidence
	// Scenarios that must have passed on every architecture, in a run that rehearsed the candidate; at least one.
	Scenarios []string `json:"scenarios"`
	// Dispositions that promote; if absent, only "promotable/compatible-rollback".
	Dispositions []statement.Disposition `json:"dispositions,omitempty"`
	MinimumDepth string                  `json:"minimumDepth,omitempty"` // join depth that the run must have demanded; HELD if absent
	MaxAge       Duration                `json:"maxAge,omitempty"`       // since the receipt was finished; 168h if absent
	ClockSkew    Duration                `json:"clockSkew,omitempty"`    // how far ahead the harness's clock may be; 5m if absent
	Challenge    bool                    `json:"challenge,omitempty"`    // the gate must give a challenge; runs must always answer one that is given
	Threshold    int                     `json:"threshold,omitempty"`    // distinct trusted keys that must have signed; 1 if absent
	Runs         int                     `json:"runs,omitempty"`         // independent runs (other id, other cluster) for each cell; 1 if absent
	Fixtures     bool                    `json:"fixtures,omitempty"`     // games made for tests count as candidates
	Emulated     bool                    `json:"emulated,omitempty"`     // runs on an emulated processor count
	OpenEgress   bool                    `json:"openEgress,omitempty"`   // runs whose cluster could reach out count
	Expires      time.Time               `json:"expires,omitzero"`       // the policy promotes nothing after this time; it never expires if absent
	// Keys that sign receipts and manifests, with their bounds. Further keys that the gate gets have no bounds.
	Keys []PolicyKey `json:"keys,omitempty"`
	// OverrideKeys sign overrides. A key that signs receipts cannot be one.
	OverrideKeys []PolicyKey `json:"overrideKeys,omitempty"`
}

// PolicyKey is a trusted key and the time for which it is trusted.
type PolicyKey struct {
	PEM       string    `json:"pem"`                // PEM block PUBLIC KEY
	Note      string    `json:"note,omitempty"`     // for people
	NotBefore time.Time `json:"notBefore,omitzero"` // no bound if absent
	NotAfter  time.Time `json:"notAfter,omitzero"`  // no bound if absent
	// Revoked keys never count, because the thief of a key can write any date.
	Revoked bool `json:"revoked,omitempty"`
}

// Defaults of a policy.
const (
	DefaultMaxAge    = 168 * time.Hour
	DefaultClockSkew = 5 * time.Minute
)

// Duration is a time.Duration in Go's notation: "72h".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("want a duration above zero with its unit, like 72h")
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// ParsePolicy reads a policy in strict JSON and fills in the defaults. The error says what is wrong first, and where.
func ParsePolicy(text []byte) (Policy, error) {
	p, err := DecodePolicy(text)
	if err != nil {
		return Policy{}, err
	}
	if err := p.Validate(); err != nil {
		return Policy{}, fmt.Errorf("policy: %w", err)
	}
	return p, nil
}

// DecodePolicy is ParsePolicy without Validate, for a tool that shows all Problems of a policy.
func DecodePolicy(text []byte) (Policy, error) {
	if len(text) > MaxPolicy {
		return Policy{}, fmt.Errorf("policy of %d bytes: at most %d", len(text), MaxPolicy)
	}
	var p Policy
	if err := strictjson.Decode(string(text), &p); err != nil {
		return Policy{}, fmt.Errorf("policy: %s", strictjson.WithoutOffset(err))
	}
	return p.withDefaults(), nil
}

func (p Policy) withDefaults() Policy {
	if len(p.Dispositions) == 0 {
		p.Dispositions = []statement.Disposition{statement.CompatibleRollback}
	}
	if p.MinimumDepth == "" {
		p.MinimumDepth = statement.Held
	}
	if p.MaxAge == 0 {
		p.MaxAge = Duration(DefaultMaxAge)
	}
	if p.ClockSkew == 0 {
		p.ClockSkew = Duration(DefaultClockSkew)
	}
	if p.Threshold == 0 {
		p.Threshold = 1
	}
	if p.Runs == 0 {
		p.Runs = 1
	}
	return p
}

// Digest identifies the policy of a decision. The defaults are part of it, whether they are written out or not.
func (p Policy) Digest() string {
	text, err := strictjson.Encode(strictjson.Normalized(p.withDefaults()))
	if err != nil {
		return "" // strings, numbers and times always encode
	}
	return statement.Digest(text)
}
