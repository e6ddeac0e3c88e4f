package gate

import (
	"fmt"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/internal/strictjson"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// PolicyVersion is the version of policy documents.
const PolicyVersion = "rehearsal/policy/v1"

// MaxPolicy is the size in bytes above which a policy is refused unread.
const MaxPolicy = 256 << 10

// Policy says what a gate wants before it promotes. What it does not name is not allowed: no architecture, scenario,
// restore, fixture, emulated processor or open cluster counts by default. Demands that go beyond that are to be named:
// a challenge, several keys or runs, an end of the policy or of a key.
type Policy struct {
	Version       string   `json:"version"`       // PolicyVersion
	Architectures []string `json:"architectures"` // each needs its own evidence; at least one
	// Scenarios that every architecture must have passed, in a run that rehearsed the candidate; at least one.
	Scenarios []string `json:"scenarios"`
	// Dispositions that promote; only "promotable/compatible-rollback" where there are none.
	Dispositions []statement.Disposition `json:"dispositions,omitempty"`
	MinimumDepth string                  `json:"minimumDepth,omitempty"` // join depth that the run must have asked; HELD where not given
	MaxAge       Duration                `json:"maxAge,omitempty"`       // since the receipt was finished; 168h where not given
	ClockSkew    Duration                `json:"clockSkew,omitempty"`    // how far ahead the harness's clock may be; 5m where not given
	Challenge    bool                    `json:"challenge,omitempty"`    // the gate must give a challenge; one that is given must always be met
	Threshold    int                     `json:"threshold,omitempty"`    // distinct trusted keys that must have signed; 1 where not given
	Runs         int                     `json:"runs,omitempty"`         // independent runs (other id, other cluster) for each cell; 1 where not given
	Fixtures     bool                    `json:"fixtures,omitempty"`     // games made for tests count as candidates
	Emulated     bool                    `json:"emulated,omitempty"`     // runs on an emulated processor count
	OpenEgress   bool                    `json:"openEgress,omitempty"`   // runs whose cluster could reach out count
	Expires      time.Time               `json:"expires,omitzero"`       // the policy promotes nothing after it; never where not given
	// Keys that sign receipts and manifests, with their bounds. Keys that the gate is given in addition have none.
	Keys []PolicyKey `json:"keys,omitempty"`
	// OverrideKeys sign overrides. A key that signs receipts is not taken for one.
	OverrideKeys []PolicyKey `json:"overrideKeys,omitempty"`
}

// PolicyKey is a trusted key and the time for which it is trusted.
type PolicyKey struct {
	PEM       string    `json:"pem"`                // PEM block PUBLIC KEY
	Note      string    `json:"note,omitempty"`     // for people
	NotBefore time.Time `json:"notBefore,omitzero"` // no bound where not given
	NotAfter  time.Time `json:"notAfter,omitzero"`  // no bound where not given
	// Revoked keys count for nothing, whatever the time: who holds a stolen key writes any date.
	Revoked bool `json:"revoked,omitempty"`
}

// Defaults of a policy.
const (
	DefaultMaxAge    = 168 * time.Hour
	DefaultClockSkew = 5 * time.Minute
)

// Duration is a time.Duration written as Go writes it: "72h".
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

// Digest identifies the policy that a decision was made by.
func (p Policy) Digest() string {
	text, err := strictjson.Encode(strictjson.Normalized(p.withDefaults()))
	if err != nil {
		return "" // strings, numbers and times always encode
	}
	return statement.Digest(text)
}
