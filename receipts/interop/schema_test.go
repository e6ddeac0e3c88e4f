package interop

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	s, err := compiler.Compile(filepath.Join("..", "schema", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(document)
}

func TestReceiptsAreValid(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "receipt")
	for _, scenario := range append(receiptstest.Scenarios(), statement.ScenarioUpdate) {
		if err := valid(t, schema, string(payloadOf(t, receiptstest.Receipt(scenario)))); err != nil {
			t.Errorf("%s: %v", scenario, err)
		}
	}
	if err := valid(t, schema, string(payloadOf(t, statement.Receipt{}))); err != nil {
		t.Errorf("a receipt of nothing: %v", err)
	}
}

// The schema and the strict reader agree on every document of the vectors: what the reader takes is valid, and what it
// refuses for its form is not. What no schema can see is left to the reader.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	t.Parallel()
	kinds := map[string]*jsonschema.Schema{
		statement.ReceiptType: compiled(t, "receipt"), statement.ManifestType: compiled(t, "run-manifest"),
		statement.OverrideType: compiled(t, "override"), statement.TestResultType: compiled(t, "test-result"),
	}
	// A text with a member twice is JSON that a schema's reader has already lost the half of; half a surrogate pair and
	// a second document behind the first are lost, too.
	unseen := []string{"lying/doubled-field", "lying/half-surrogate", "statement/payload-twice"}
	checked := 0
	for _, v := range vectors(t) {
		for _, payload := range payloads(v) {
			var s struct {
				PredicateType string `json:"predicateType"`
			}
			schema := kinds[s.PredicateType]
			if json.Unmarshal([]byte(payload.text), &s) == nil {
				schema = kinds[s.PredicateType]
			}
			if schema == nil {
				continue
			}
			err := valid(t, schema, payload.text)
			switch payload.code {
			case "", refusal.VerdictMismatch, refusal.SubjectMismatch, refusal.ManifestInvalid, refusal.Stale:
				if err != nil {
					t.Errorf("%s: the reader takes what the schema does not: %v", v.Name, err)
				}
			case refusal.PredicateMalformed:
				if err == nil && !slices.Contains(unseen, v.Name) {
					t.Errorf("%s: the schema takes what the reader does not", v.Name)
				}
			default:
				continue
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d documents were checked", checked)
	}
}

func TestPoliciesAgree(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "policy")
	for text, ok := range map[string]bool{
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"]}`:                          true,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"maxAge":"1h30m"}`:         true,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"maxAge":"3 days"}`:        false,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"maxage":"1h"}`:            false,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"]}`:                                                 false,
		`{"version":"rehearsal/policy/v1","architectures":"amd64","scenarios":["update"]}`:                            false,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"expires":"2026-01-01"}`:   false,
		`{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"],"keys":[{"note":"mine"}]}`: false,
	} {
		_, err := gate.ParsePolicy([]byte(text))
		if invalid := valid(t, schema, text); (err == nil) != ok || (invalid == nil) != ok {
			t.Errorf("%s: reader %v, schema %v", text, err, invalid)
		}
	}
}

func TestDecisionsAreValid(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "decision")
	for _, v := range vectors(t) {
		decision, err := v.Decide()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(decision)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, schema, string(text)); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}
