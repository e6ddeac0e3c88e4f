package receipts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "refusal/refusal.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, count := document(t, "gate.md"), 0
	ast.Inspect(file, func(n ast.Node) bool {
		if value, ok := n.(*ast.BasicLit); ok && value.Kind == token.STRING && strings.Contains(value.Value, "-") || ok && value.Value == `"stale"` {
			count++
			if code := strings.Trim(value.Value, `"`); !strings.Contains(text, "`"+code+"`") {
				t.Errorf("docs/gate.md does not explain %s", code)
			}
		}
		return true
	})
	if count < 40 {
		t.Errorf("found only %d codes", count)
	}
}

func TestEveryCheckIsDocumented(t *testing.T) {
	t.Parallel()
	text := document(t, "receipt-format.md")
	for _, scenario := range append(receiptstest.Scenarios(), statement.ScenarioUpdate, "unheard of") {
		checks, _, _ := evaluation.Of(receiptstest.Observations(scenario, "amd64"))
		for _, check := range checks {
			if !strings.Contains(text, "`"+check.Name+"`") {
				t.Errorf("docs/receipt-format.md does not explain %s", check.Name)
			}
		}
	}
	for _, kind := range []string{statement.ReceiptType, statement.ManifestType, statement.OverrideType, statement.TestResultType, statement.VerificationSummaryType} {
		if !strings.Contains(text, kind) {
			t.Errorf("docs/receipt-format.md does not name %s", kind)
		}
	}
}
