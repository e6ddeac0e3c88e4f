package interop

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	vsa "github.com/in-toto/attestation/go/predicates/vsa/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/GameplanePanel/rehearsal/receipts/attestation"
	ours "github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// in-toto's types read our statements, find them valid, and find the same in them.
func TestInTotoReadsOurs(t *testing.T) {
	t.Parallel()
	for _, scenario := range receiptstest.Scenarios() {
		r := receiptstest.Receipt(scenario)
		var s intoto.Statement
		if err := protojson.Unmarshal(payloadOf(t, r), &s); err != nil {
			t.Fatalf("%s: %v", scenario, err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", scenario, err)
		}
		if s.GetType() != statement.StatementType || s.GetPredicateType() != statement.ReceiptType {
			t.Errorf("%s: type %s, %s", scenario, s.GetType(), s.GetPredicateType())
		}
		if got := "sha256:" + s.GetSubject()[0].GetDigest()["sha256"]; got != r.Candidate.Digest {
			t.Errorf("%s: subject %s", scenario, got)
		}
		fields := s.GetPredicate().GetFields()
		if fields["verdict"].GetStringValue() != string(r.Verdict) || fields["disposition"].GetStringValue() != string(r.Disposition) {
			t.Errorf("%s: another predicate: %v", scenario, slices.Sorted(maps.Keys(fields)))
		}
	}
}

// A statement that was written by in-toto's types, in whatever order and spacing, is read by us.
func TestWeReadInTotos(t *testing.T) {
	t.Parallel()
	var s intoto.Statement
	if err := protojson.Unmarshal(payloadOf(t, receiptstest.Receipt(statement.ScenarioUpdate)), &s); err != nil {
		t.Fatal(err)
	}
	for _, options := range []protojson.MarshalOptions{{}, {Multiline: true}} {
		payload, err := options.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		signer := receiptstest.ECDSA("harness")
		if document, err := attestation.Open(sealed(t, payload, signer), []ours.Key{receiptstest.Public(signer)}, 1); err != nil || document.Receipt.Verdict != statement.Passed {
			t.Errorf("%v\n%s", err, payload)
		}
	}
}

// The companion statements are what in-toto's own predicate types read.
func TestCompanionStatements(t *testing.T) {
	t.Parallel()
	signer := receiptstest.ECDSA("harness")
	raw, err := attestation.SignTestResult(receiptstest.Receipt(statement.ScenarioHTTPOnly), receiptstest.Digest("receipt"), signer)
	if err != nil {
		t.Fatal(err)
	}
	result := new(testresult.TestResult)
	if err := protojson.Unmarshal(predicateOf(t, raw), result); err != nil {
		t.Fatal(err)
	}
	if result.GetResult() != statement.ResultFailed || len(result.GetConfiguration()) != 2 || len(result.GetFailedTests()) == 0 {
		t.Errorf("test result: %v", result)
	}

	decision := gate.Decide(gate.Policy{}, gate.Trust{}, gate.Question{Candidate: receiptstest.Digest("a")}, slices.Values[[]gate.Input](nil), receiptstest.Time())
	raw, err = gate.SignSummary(decision, statement.Verifier{ID: "https://example.com/gate"}, "pkg:oci/game", "policy.yaml", signer)
	if err != nil {
		t.Fatal(err)
	}
	summary := new(vsa.VerificationSummary)
	if err := protojson.Unmarshal(predicateOf(t, raw), summary); err != nil {
		t.Fatal(err)
	}
	if summary.GetVerificationResult() != statement.ResultFailed || summary.GetResourceUri() != "pkg:oci/game" {
		t.Errorf("verification summary: %v", summary)
	}
}

func predicateOf(t *testing.T, raw []byte) []byte {
	t.Helper()
	var s struct {
		Predicate json.RawMessage `json:"predicate"`
	}
	if err := json.Unmarshal(opened(t, raw), &s); err != nil {
		t.Fatal(err)
	}
	return s.Predicate
}
