package gate_test

import (
	"crypto"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// policyVectors combine a good run with policies, questions and times that it does not meet.
func policyVectors(t testing.TB) []vector {
	var vectors []vector
	make := func(name, description string, reasons []refusal.Code, change func(v *vector)) {
		v := newVector(t, "policy/"+name, description)
		v.reasons = reasons
		change(&v)
		vectors = append(vectors, v)
	}
	both := func(code refusal.Code) map[string]refusal.Code {
		return map[string]refusal.Code{updateFile: code, manifestFile: code}
	}
	own := func(change func(k *gate.PolicyKey)) []gate.PolicyKey {
		key := gate.PolicyKey{PEM: string(receiptstest.Public(signer()).PEM())}
		change(&key)
		return []gate.PolicyKey{key}
	}
	changedRun := func(change func(r *statement.Receipt)) []gate.Input {
		run := updateRun("amd64")
		change(&run.Receipts[0])
		return signed(t, run)
	}
	make("stale", "Finished longer ago than the policy allows.", nothingCounts(), func(v *vector) {
		v.now, v.refused = now().Add(8*24*time.Hour), both(refusal.Stale)
	})
	make("stale-by-a-second", "A second older than the policy allows.", nothingCounts(refusal.ReceiptRefused), func(v *vector) {
		v.policy.MaxAge = gate.Duration(time.Hour)
		v.now = receiptstest.Time().Add(91*time.Second + time.Hour)
		v.refused = map[string]refusal.Code{updateFile: refusal.Stale}
	})
	make("from-the-future", "Finished after now, beyond the allowed skew.", nothingCounts(), func(v *vector) {
		v.now, v.refused = receiptstest.Time().Add(-time.Hour), both(refusal.FromTheFuture)
	})
	make("expired", "The policy has expired.", []refusal.Code{refusal.PolicyExpired}, func(v *vector) {
		v.policy.Expires = now().Add(-time.Second)
	})
	make("key-revoked", "The signer's key is revoked.", nothingCounts(refusal.NoTrustedKey), func(v *vector) {
		v.policy.Keys = own(func(k *gate.PolicyKey) { k.Revoked = true })
		v.refused = both(refusal.SignatureInvalid)
	})
	make("key-expired", "The signer's key was no longer valid when the receipt was finished.", nothingCounts(), func(v *vector) {
		v.policy.Keys = own(func(k *gate.PolicyKey) { k.NotAfter = receiptstest.Time() })
		v.refused = both(refusal.KeyOutsideValidity)
	})
	make("key-not-yet-valid", "The signer's key was not yet valid when the receipt was finished.", nothingCounts(), func(v *vector) {
		v.policy.Keys = own(func(k *gate.PolicyKey) { k.NotBefore = now() })
		v.refused = both(refusal.KeyOutsideValidity)
	})
	make("no-key", "Nobody is trusted.", nothingCounts(refusal.NoTrustedKey), func(v *vector) {
		v.trusted, v.refused = nil, both(refusal.SignatureInvalid)
	})
	make("threshold", "The policy wants two keys, and one signed.", nothingCounts(), func(v *vector) {
		v.policy.Threshold = 2
		v.trusted = append(v.trusted, receiptstest.ECDSA("second"))
		v.refused = both(refusal.ThresholdNotMet)
	})
	make("threshold-doubled-signature", "The policy wants two keys, and one signed twice.", nothingCounts(), func(v *vector) {
		v.origin = "secure-systems-lab/dsse#51"
		v.policy.Threshold = 2
		v.trusted = append(v.trusted, receiptstest.ECDSA("second"))
		v.inputs = signedBy(t, updateRun("amd64"), signer(), signer())
		v.refused = both(refusal.ThresholdNotMet)
	})
	make("threshold-key-expired", "Two keys signed, and one of them was no longer valid.", nothingCounts(), func(v *vector) {
		v.policy.Threshold = 2
		v.trusted = []crypto.Signer{receiptstest.ECDSA("second")}
		v.policy.Keys = own(func(k *gate.PolicyKey) { k.NotAfter = receiptstest.Time() })
		v.inputs = signedBy(t, updateRun("amd64"), signer(), v.trusted[0])
		v.refused = both(refusal.KeyOutsideValidity)
	})
	make("one-run-of-two", "The policy wants two independent runs, and there is one.", nothingCounts(), func(v *vector) { v.policy.Runs = 2 })
	make("two-runs-in-one-cluster", "Two runs in one cluster are not independent.", nothingCounts(), func(v *vector) {
		v.origin = "akuity/kargo#6372"
		v.policy.Runs = 2
		run := updateRun("amd64")
		run.ID = "run-second"
		v.inputs = append(v.inputs, named("second/", signed(t, run))...)
	})
	make("challenge-not-given", "The policy wants a challenge, and the gate gave none.", []refusal.Code{refusal.ChallengeMissing}, func(v *vector) {
		v.policy.Challenge = true
	})
	make("challenge-not-answered", "The run was made without the gate's challenge: it is a replay.", nothingCounts(refusal.ChallengeMismatch), func(v *vector) {
		v.origin = "veraison/services#427"
		v.question.Challenge = "nonce-1"
	})
	make("challenge-of-another-time", "The run answers another challenge: it is a replay.", nothingCounts(refusal.ChallengeMismatch), func(v *vector) {
		v.origin = "veraison/services#427"
		run := updateRun("amd64")
		run.Challenge, v.question.Challenge = "nonce-0", "nonce-1"
		v.inputs = signed(t, run)
	})
	make("template", "The candidate is to be promoted with another template than it was rehearsed with.", nothingCounts(refusal.TemplateMismatch), func(v *vector) {
		v.question.Template = receiptstest.Digest("another template")
	})
	make("bundle", "The candidate is to be promoted from a bundle that was not rehearsed.", nothingCounts(refusal.BundleMismatch), func(v *vector) {
		v.question.Bundle = receiptstest.Digest("bundle")
	})
	make("fixture", "The candidate is a game made for tests.", nothingCounts(refusal.FixtureNotAllowed), func(v *vector) { v.policy.Fixtures = false })
	make("emulated", "The processor was emulated.", nothingCounts(refusal.EmulatedNotAllowed), func(v *vector) {
		v.inputs = changedRun(func(r *statement.Receipt) { r.Environment.Emulated = true })
	})
	make("open-egress", "The cluster could reach out.", nothingCounts(refusal.EgressNotAllowed), func(v *vector) {
		v.inputs = changedRun(func(r *statement.Receipt) { r.Environment.Egress = statement.EgressOpen })
	})
	make("depth", "The run asked for less than HELD.", nothingCounts(refusal.DepthTooShallow), func(v *vector) {
		v.inputs = changedRun(func(r *statement.Receipt) { r.Run.Depth = statement.Joined })
	})
	make("restore-required", "Going back needs a restore, and the policy does not allow that.", nothingCounts(refusal.DispositionNotAllowed), func(v *vector) {
		*v = overrideVector(t, v.name, v.description, func(*statement.Override) {})
		v.inputs, v.reasons = v.inputs[:2], nothingCounts(refusal.DispositionNotAllowed)
	})
	make("invalid", "The policy names no scenario: nothing can be decided by it.", []refusal.Code{refusal.PolicyInvalid}, func(v *vector) {
		v.origin = "sigstore/policy-controller#235: an image that matches no policy is admitted"
		v.policy.Scenarios = nil
	})
	make("other-version", "The policy is of another version.", []refusal.Code{refusal.PolicyInvalid}, func(v *vector) {
		v.policy.Version = "rehearsal/policy/v2"
	})
	return append(vectors, overrideVectors(t)...)
}

// overrideVectors are overrides that do not apply.
func overrideVectors(t testing.TB) []vector {
	var vectors []vector
	denied := nothingCounts(refusal.DispositionNotAllowed)
	add := func(name, description string, code refusal.Code, change func(o *statement.Override), more func(v *vector)) {
		v := overrideVector(t, "override/"+name, description, change)
		v.reasons = denied
		if code != "" {
			v.refused = map[string]refusal.Code{"override": code}
		}
		if more != nil {
			more(&v)
		}
		vectors = append(vectors, v)
	}
	none := func(*statement.Override) {}
	add("expired", "The override has expired.", refusal.Stale, func(o *statement.Override) {
		o.ExpiresAt = receiptstest.Time().Add(time.Minute)
	}, nil)
	add("not-yet-issued", "The override is issued in the future.", refusal.FromTheFuture, func(o *statement.Override) {
		o.IssuedAt = now().Add(time.Hour)
	}, nil)
	add("other-candidate", "The override is for another candidate.", "", func(o *statement.Override) {
		o.Candidate = receiptstest.Digest("another game")
	}, nil)
	add("other-policy", "The override is for another policy.", "", func(o *statement.Override) {
		o.Policy = receiptstest.Digest("another policy")
	}, nil)
	add("other-code", "The override waives something else.", "", func(o *statement.Override) {
		o.Waives = []refusal.Code{refusal.FixtureNotAllowed}
	}, nil)
	add("by-the-harness", "The override is signed with the key that signs receipts.", refusal.OverrideInvalid, none, func(v *vector) {
		v.inputs[2].Raw = signedOverride(t, none, signer())
	})
	add("by-a-stranger", "The override is signed by nobody that is trusted.", refusal.SignatureInvalid, none, func(v *vector) {
		v.inputs[2].Raw = signedOverride(t, none, receiptstest.ECDSA("stranger"))
	})
	add("key-revoked", "The key of the override is revoked.", refusal.SignatureInvalid, none, func(v *vector) {
		v.policy.OverrideKeys[0].Revoked = true
	})
	add("key-expired", "The key of the override was no longer valid when it was issued.", refusal.KeyOutsideValidity, none, func(v *vector) {
		v.policy.OverrideKeys[0].NotAfter = receiptstest.Time().Add(-time.Hour)
	})
	add("receipt-by-the-overrider", "A receipt is signed with the key that signs overrides.", "", none, func(v *vector) {
		v.inputs = signedBy(t, receiptstest.RunOf("amd64", statement.ScenarioRestoreRequired), overrider())
		v.reasons = nothingCounts()
		v.refused = map[string]refusal.Code{v.inputs[0].Name: refusal.SignatureInvalid, manifestFile: refusal.SignatureInvalid}
	})
	for _, code := range []refusal.Code{refusal.ScenarioFailed, refusal.CandidateBlocked, refusal.ReceiptMissing, refusal.ManifestMissing} {
		add("waives-"+string(code), "The override waives what cannot be waived.", refusal.OverrideInvalid, none, func(v *vector) {
			payload := receiptstest.ParseEnvelope(t, v.inputs[2].Raw).Payload
			payload = receiptstest.Replace(t, payload, string(refusal.DispositionNotAllowed), string(code))
			v.inputs[2].Raw = receiptstest.Seal(t, dsse.PayloadType, payload, overrider())
		})
	}
	add("without-end", "The override holds for longer than an override may.", refusal.OverrideInvalid, none, func(v *vector) {
		payload := receiptstest.Replace(t, receiptstest.ParseEnvelope(t, v.inputs[2].Raw).Payload, `"expiresAt":"2026`, `"expiresAt":"2036`)
		v.inputs[2].Raw = receiptstest.Seal(t, dsse.PayloadType, payload, overrider())
	})
	return vectors
}
