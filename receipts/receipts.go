package receipts

import (
	"iter"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/rundir"
)

// These types of the packages below are what the functions of this package need.
type (
	Policy     = gate.Policy
	Trust      = gate.Trust
	TrustedKey = gate.TrustedKey
	Question   = gate.Question
	Input      = gate.Input
	Decision   = gate.Decision
	Reason     = gate.Reason
	Key        = dsse.Key
	Code       = refusal.Code
)

// ParsePolicy reads a policy in strict JSON and fills in the defaults. See gate.ParsePolicy.
func ParsePolicy(text []byte) (Policy, error) { return gate.ParsePolicy(text) }

// ParseKey reads a public key in PEM, for TrustOf. See dsse.ParseKey.
func ParseKey(text []byte) (Key, error) { return dsse.ParseKey(text) }

// TrustOf returns the keys of a policy together with further keys that sign receipts. See gate.TrustOf.
func TrustOf(p Policy, keys ...Key) (Trust, error) { return gate.TrustOf(p, keys...) }

// ReadInputs reads the signed documents under a path into memory. See rundir.ReadInputs.
func ReadInputs(path string) ([]Input, error) { return rundir.ReadInputs(path) }

// Decide answers whether a candidate may be promoted. See gate.Decide.
func Decide(policy Policy, trust Trust, question Question, inputs iter.Seq[Input], now time.Time) Decision {
	return gate.Decide(policy, trust, question, inputs, now)
}
