package receipts_test

import (
	"crypto"
	"testing"
	"time"

	"github.com/GameplanePanel/rehearsal/receipts"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
)

// policyVectors hold a good run against policies, questions and times that it does not meet.
func policyVectors(t testing.TB) []vector {
	var vectors []vector
	make := func(name, description string, reasons []receipts.Code, change func(v *vector)) {
		v := newVector(t, "policy/"+name, description)
		v.reasons = reasons
		change(&v)
		vectors = append(vectors, v)
	}
	both := func(code receipts.Code) map[string]receipts.Code {
		return map[string]receipts.Code{updateFile: code, manifestFile: code}
	}
	own := func(change func(k *receipts.PolicyKey)) []receipts.PolicyKey {
		key := receipts.PolicyKey{PEM: string(receiptstest.Public(signer()).PEM())}
		change(&key)
		return []receipts.PolicyKey{key}
	}
	changedRun := func(change func(r *receipts.Receipt)) []receipts.Input {
		run := updateRun("amd64")
		change(&run.Receipts[0])
		return signed(t, run)
	}
	make("stale", "Finished longer ago than the policy allows.", notThere(), func(v *vector) {
		v.now, v.refused = now().Add(8*24*time.Hour), both(receipts.CodeStale)
	})
	make("stale-by-a-second", "A second older than the policy allows.", notThere(receipts.CodeReceiptRefused), func(v *vector) {
		v.policy.MaxAge = receipts.Duration(time.Hour)
		v.now = receiptstest.Time().Add(91*time.Second + time.Hour)
		v.refused = map[string]receipts.Code{updateFile: receipts.CodeStale}
	})
	make("from-the-future", "Finished after now, beyond the allowed skew.", notThere(), func(v *vector) {
		v.now, v.refused = receiptstest.Time().Add(-time.Hour), both(receipts.CodeFromFuture)
	})
	make("expired", "The policy has expired.", []receipts.Code{receipts.CodePolicyExpired}, func(v *vector) {
		v.policy.Expires = now().Add(-time.Second)
	})
	make("key-revoked", "The signer's key is revoked.", notThere(receipts.CodeNoTrustedKey), func(v *vector) {
		v.policy.Keys = own(func(k *receipts.PolicyKey) { k.Revoked = true })
		v.refused = both(receipts.CodeSignatureInvalid)
	})
	make("key-expired", "The signer's key was no longer valid when the receipt was finished.", notThere(), func(v *vector) {
		v.policy.Keys = own(func(k *receipts.PolicyKey) { k.NotAfter = receiptstest.Time() })
		v.refused = both(receipts.CodeKeyWindow)
	})
	make("key-not-yet-valid", "The signer's key was not yet valid when the receipt was finished.", notThere(), func(v *vector) {
		v.policy.Keys = own(func(k *receipts.PolicyKey) { k.NotBefore = now() })
		v.refused = both(receipts.CodeKeyWindow)
	})
	make("no-key", "Nobody is trusted.", notThere(receipts.CodeNoTrustedKey), func(v *vector) {
		v.trusted, v.refused = nil, both(receipts.CodeSignatureInvalid)
	})
	make("threshold", "The policy wants two keys, and one signed.", notThere(), func(v *vector) {
		v.policy.Threshold = 2
		v.trusted = append(v.trusted, receiptstest.ECDSA("second"))
		v.refused = both(receipts.CodeThreshold)
	})
	make("threshold-doubled-signature", "The policy wants two keys, and one signed twice.", notThere(), func(v *vector) {
		v.origin = "secure-systems-lab/dsse#51"
		v.policy.Threshold = 2
		v.trusted = append(v.trusted, receiptstest.ECDSA("second"))
		v.inputs = signedBy(t, updateRun("amd64"), signer(), signer())
		v.refused = both(receipts.CodeThreshold)
	})
	make("threshold-key-expired", "Two keys signed, and one of them was no longer valid.", notThere(), func(v *vector) {
		v.policy.Threshold = 2
		v.trusted = []crypto.Signer{receiptstest.ECDSA("second")}
		v.policy.Keys = own(func(k *receipts.PolicyKey) { k.NotAfter = receiptstest.Time() })
		v.inputs = signedBy(t, updateRun("amd64"), signer(), v.trusted[0])
		v.refused = both(receipts.CodeKeyWindow)
	})
	make("one-run-of-two", "The policy wants two independent runs, and there is one.", notThere(), func(v *vector) { v.policy.Runs = 2 })
	make("two-runs-in-one-cluster", "Two runs in one cluster are not independent.", notThere(), func(v *vector) {
		v.origin = "akuity/kargo#6372"
		v.policy.Runs = 2
		run := updateRun("amd64")
		run.ID = "run-second"
		v.inputs = append(v.inputs, named("second/", signed(t, run))...)
	})
	make("challenge-not-given", "The policy wants a challenge, and the gate gave none.", []receipts.Code{receipts.CodeChallengeMissing}, func(v *vector) {
		v.policy.Challenge = true
	})
	make("challenge-not-answered", "The run was made without the gate's challenge: it is a replay.", notThere(receipts.CodeChallengeMismatch), func(v *vector) {
		v.origin = "veraison/services#427"
		v.question.Challenge = "nonce-1"
	})
	make("challenge-of-another-time", "The run answers another challenge: it is a replay.", notThere(receipts.CodeChallengeMismatch), func(v *vector) {
		v.origin = "veraison/services#427"
		run := updateRun("amd64")
		run.Challenge, v.question.Challenge = "nonce-0", "nonce-1"
		v.inputs = signed(t, run)
	})
	make("template", "The candidate is to be promoted with another template than it was rehearsed with.", notThere(receipts.CodeTemplateMismatch), func(v *vector) {
		v.question.Template = receiptstest.Digest("another template")
	})
	make("bundle", "The candidate is to be promoted from a bundle that was not rehearsed.", notThere(receipts.CodeBundleMismatch), func(v *vector) {
		v.question.Bundle = receiptstest.Digest("bundle")
	})
	make("fixture", "The candidate is a game made for tests.", notThere(receipts.CodeFixtureNotAllowed), func(v *vector) { v.policy.Fixtures = false })
	make("emulated", "The processor was emulated.", notThere(receipts.CodeEmulatedNotAllowed), func(v *vector) {
		v.inputs = changedRun(func(r *receipts.Receipt) { r.Environment.Emulated = true })
	})
	make("open-egress", "The cluster could reach out.", notThere(receipts.CodeOpenEgressNotAllowed), func(v *vector) {
		v.inputs = changedRun(func(r *receipts.Receipt) { r.Environment.Egress = receipts.EgressOpen })
	})
	make("depth", "The run asked for less than HELD.", notThere(receipts.CodeDepthTooShallow), func(v *vector) {
		v.inputs = changedRun(func(r *receipts.Receipt) { r.Run.Depth = receipts.Joined })
	})
	make("restore-required", "Going back needs a restore, and the policy does not allow that.", notThere(receipts.CodeDispositionDenied), func(v *vector) {
		*v = overrideVector(t, v.name, v.description, func(*receipts.Override) {})
		v.inputs, v.reasons = v.inputs[:2], notThere(receipts.CodeDispositionDenied)
	})
	make("invalid", "The policy names no scenario: nothing can be decided by it.", []receipts.Code{receipts.CodePolicyInvalid}, func(v *vector) {
		v.origin = "sigstore/policy-controller#235: an image that matches no policy is admitted"
		v.policy.Scenarios = nil
	})
	make("other-version", "The policy is of another version.", []receipts.Code{receipts.CodePolicyInvalid}, func(v *vector) {
		v.policy.Version = "rehearsal/policy/v2"
	})
	return append(vectors, overrideVectors(t)...)
}

// overrideVectors are overrides that do not apply.
func overrideVectors(t testing.TB) []vector {
	var vectors []vector
	denied := notThere(receipts.CodeDispositionDenied)
	add := func(name, description string, code receipts.Code, change func(o *receipts.Override), more func(v *vector)) {
		v := overrideVector(t, "override/"+name, description, change)
		v.reasons = denied
		if code != "" {
			v.refused = map[string]receipts.Code{"override": code}
		}
		if more != nil {
			more(&v)
		}
		vectors = append(vectors, v)
	}
	none := func(*receipts.Override) {}
	add("expired", "The override has expired.", receipts.CodeStale, func(o *receipts.Override) {
		o.ExpiresAt = receiptstest.Time().Add(time.Minute)
	}, nil)
	add("not-yet-issued", "The override is issued in the future.", receipts.CodeFromFuture, func(o *receipts.Override) {
		o.IssuedAt = now().Add(time.Hour)
	}, nil)
	add("other-candidate", "The override is for another candidate.", "", func(o *receipts.Override) {
		o.Candidate = receiptstest.Digest("another game")
	}, nil)
	add("other-policy", "The override is for another policy.", "", func(o *receipts.Override) {
		o.Policy = receiptstest.Digest("another policy")
	}, nil)
	add("other-code", "The override waives something else.", "", func(o *receipts.Override) {
		o.Waives = []receipts.Code{receipts.CodeFixtureNotAllowed}
	}, nil)
	add("by-the-harness", "The override is signed with the key that signs receipts.", receipts.CodeOverrideInvalid, none, func(v *vector) {
		v.inputs[2].Raw = signedOverride(t, none, signer())
	})
	add("by-a-stranger", "The override is signed by nobody that is trusted.", receipts.CodeSignatureInvalid, none, func(v *vector) {
		v.inputs[2].Raw = signedOverride(t, none, receiptstest.ECDSA("stranger"))
	})
	add("key-revoked", "The key of the override is revoked.", receipts.CodeSignatureInvalid, none, func(v *vector) {
		v.policy.OverrideKeys[0].Revoked = true
	})
	add("key-expired", "The key of the override was no longer valid when it was issued.", receipts.CodeKeyWindow, none, func(v *vector) {
		v.policy.OverrideKeys[0].NotAfter = receiptstest.Time().Add(-time.Hour)
	})
	add("receipt-by-the-overrider", "A receipt is signed with the key that signs overrides.", "", none, func(v *vector) {
		v.inputs = signedBy(t, receiptstest.RunOf("amd64", receipts.ScenarioRestoreRequired), overrider())
		v.reasons = notThere()
		v.refused = map[string]receipts.Code{v.inputs[0].Name: receipts.CodeSignatureInvalid, manifestFile: receipts.CodeSignatureInvalid}
	})
	for _, code := range []receipts.Code{receipts.CodeScenarioFailed, receipts.CodeCandidateBlocked, receipts.CodeReceiptMissing, receipts.CodeManifestMissing} {
		add("waives-"+string(code), "The override waives what cannot be waived.", receipts.CodeOverrideInvalid, none, func(v *vector) {
			payload := takeApart(t, v.inputs[2].Raw).Payload
			payload = replaced(t, payload, string(receipts.CodeDispositionDenied), string(code))
			v.inputs[2].Raw = seal(t, receipts.PayloadType, payload, overrider())
		})
	}
	add("without-end", "The override holds for longer than an override may.", receipts.CodeOverrideInvalid, none, func(v *vector) {
		payload := replaced(t, takeApart(t, v.inputs[2].Raw).Payload, `"expiresAt":"2026`, `"expiresAt":"2036`)
		v.inputs[2].Raw = seal(t, receipts.PayloadType, payload, overrider())
	})
	return vectors
}
