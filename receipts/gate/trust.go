package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
)

// TrustedKey is a public key and the period in which it is trusted. A zero time is no bound.
type TrustedKey struct {
	dsse.Key
	NotBefore time.Time
	NotAfter  time.Time
	Revoked   bool
}

// validAt says whether the key may sign a document that was finished at this time.
func (k TrustedKey) validAt(at time.Time) bool {
	return !k.Revoked && (k.NotBefore.IsZero() || !at.Before(k.NotBefore)) && (k.NotAfter.IsZero() || !at.After(k.NotAfter))
}

// Trust holds the keys that a gate trusts. The zero Trust trusts no key.
type Trust struct {
	Receipts  []TrustedKey // sign receipts and manifests
	Overrides []TrustedKey // sign overrides
}

// TrustOf returns the keys of a policy together with further keys that sign receipts. The policy's bounds also apply to a
// further key that the policy names.
func TrustOf(p Policy, keys ...dsse.Key) (Trust, error) {
	trust, problems := p.trustedKeys()
	if len(problems) > 0 {
		return Trust{}, problems[0]
	}
	for _, key := range keys {
		if slices.ContainsFunc(trust.Overrides, func(k TrustedKey) bool { return k.ID() == key.ID() }) {
			return Trust{}, fmt.Errorf("%w: %s signs overrides, it cannot sign receipts", dsse.ErrKey, key.ID())
		}
		if !slices.ContainsFunc(trust.Receipts, func(k TrustedKey) bool { return k.ID() == key.ID() }) {
			trust.Receipts = append(trust.Receipts, TrustedKey{Key: key})
		}
	}
	return trust, nil
}

// trustedKeys are the keys of the policy, and what is wrong with them.
func (p Policy) trustedKeys() (Trust, []error) {
	receipts, problems := parsePolicyKeys("keys", p.Keys)
	overrides, further := parsePolicyKeys("overrideKeys", p.OverrideKeys)
	problems = append(problems, further...)
	for i, key := range p.OverrideKeys {
		parsed, err := dsse.ParseKey([]byte(key.PEM))
		if err == nil && slices.ContainsFunc(receipts, func(k TrustedKey) bool { return k.ID() == parsed.ID() }) {
			problems = append(problems, fmt.Errorf("overrideKeys[%d]: the key signs receipts too", i))
		}
	}
	return Trust{Receipts: receipts, Overrides: overrides}, problems
}

// parsePolicyKeys returns the keys of a member that can be read, and what is wrong with the member.
func parsePolicyKeys(member string, keys []PolicyKey) ([]TrustedKey, []error) {
	var trusted []TrustedKey
	var problems []error
	for i, k := range keys {
		key, err := dsse.ParseKey([]byte(k.PEM))
		if err != nil {
			problems = append(problems, fmt.Errorf("%s[%d]: %w", member, i, err))
			continue
		}
		if slices.ContainsFunc(trusted, func(t TrustedKey) bool { return t.ID() == key.ID() }) {
			problems = append(problems, fmt.Errorf("%s[%d]: the same key twice", member, i))
		}
		if !k.NotBefore.IsZero() && !k.NotAfter.IsZero() && k.NotAfter.Before(k.NotBefore) {
			problems = append(problems, fmt.Errorf("%s[%d]: notAfter is before notBefore", member, i))
		}
		trusted = append(trusted, TrustedKey{Key: key, NotBefore: k.NotBefore, NotAfter: k.NotAfter, Revoked: k.Revoked})
	}
	return trusted, problems
}

// usable returns the keys that are not revoked.
func usable(keys []TrustedKey) []dsse.Key {
	var out []dsse.Key
	for _, key := range keys {
		if !revoked(keys, key.Key) {
			out = append(out, key.Key)
		}
	}
	return out
}

// revoked says whether any entry for a key revokes it.
func revoked(trusted []TrustedKey, key dsse.Key) bool {
	return slices.ContainsFunc(trusted, func(t TrustedKey) bool { return t.ID() == key.ID() && t.Revoked })
}

// countValid counts the keys of a document that were valid at a time. The keys are distinct.
func countValid(trusted []TrustedKey, signedBy []dsse.Key, at time.Time) int {
	count := 0
	for _, key := range signedBy {
		if slices.ContainsFunc(trusted, func(t TrustedKey) bool { return t.ID() == key.ID() && t.validAt(at) }) {
			count++
		}
	}
	return count
}
