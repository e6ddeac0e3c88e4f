package report

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/evaluation"
	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// hostile holds control characters, ends of lines, changes of direction, and what does not show at all.
const hostile = "\x1b[2J\t\n\r\u0085\u009b\u00ad\u200b\u202e\u2028\ufeff\u2800\xff"

// spoil appends hostile text to every string of a value.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + hostile)
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				spoil(v.Field(i))
			}
		}
	}
}

// Whatever strangers write into a document, a page shows as text.
func TestPagesOfHostileDocuments(t *testing.T) {
	t.Parallel()
	receipt := receiptstest.Receipt(statement.ScenarioRestoreRequired)
	receipt.Fault = &statement.Fault{Class: "c", Step: "s", Message: "m"}
	receipt.Checks[0].OK = false
	manifest := statement.Manifest{Run: "r", Cells: []statement.Cell{{Architecture: "a", Scenario: "s", File: "f", Receipt: "x"}}}
	override := statement.Override{Candidate: "c", Waives: []refusal.Code{"w"}, By: "b", Reason: "r"}
	vsa := statement.VerificationSummary{VerificationResult: "v", ResourceURI: "r", VerifiedLevels: []string{"l"}}
	for _, document := range []any{&receipt, &manifest, &override, &vsa} {
		spoil(reflect.ValueOf(document).Elem())
	}
	for name, show := range map[string]func(p page){
		"receipt":  func(p page) { p.receipt(&receipt) },
		"manifest": func(p page) { p.manifest(&manifest) },
		"override": func(p page) { p.override(&override) },
		"summary":  func(p page) { p.summary(&vsa) },
		"table":    func(p page) { Table(p.w, []statement.Receipt{receipt}) },
	} {
		var out bytes.Buffer
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		show(page{w})
		_ = w.Flush()
		if !strings.Contains(out.String(), "\uFFFD") {
			t.Errorf("%s: nothing hostile in it", name)
		}
		for i, line := range strings.Split(out.String(), "\n") {
			if printable.Line(line) != line {
				t.Errorf("%s: line %d: %q", name, i+1, line)
			}
		}
	}
}

// twoExtras is a receipt whose clone has two claims of one role.
func twoExtras() statement.Receipt {
	r := receiptstest.Observations(statement.ScenarioUpdate, "amd64")
	for i := range r.Checkpoints {
		cp := &r.Checkpoints[i]
		second := cp.Claims[1]
		second.Name, second.UID, second.Volume = "clone-maps", "00000000-0000-4000-a000-000000000002", "pvc-2"
		cp.Claims = append(cp.Claims, second)
	}
	return evaluation.Complete(r)
}

// Each claim has its own row, whatever its role.
func TestClaimsOfOneRole(t *testing.T) {
	t.Parallel()
	r := twoExtras()
	first := r.Checkpoints[0].Claims[1]
	for name, show := range map[string]func(w *tabwriter.Writer){
		"inspect": func(w *tabwriter.Writer) { page{w}.claims(&r) },
		"table":   func(w *tabwriter.Writer) { Table(w, []statement.Receipt{r}) },
	} {
		var out bytes.Buffer
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		show(w)
		_ = w.Flush()
		for label, uid := range map[string]string{"extra clone-extra": first.UID, "extra clone-maps": "00000000-0000-4000-a000-000000000002"} {
			if row := regexp.MustCompile(`(?m)^  ` + label + ` .*` + uid + ` .*` + first.Marker); !row.MatchString(out.String()) {
				t.Errorf("%s: no row of %s with %s:\n%s", name, label, uid, out.String())
			}
		}
	}

	changed := twoExtras()
	changed.Checkpoints[2].Claims[1].Marker = ""
	var out bytes.Buffer
	if n := Differences(&out, &r, &changed); n != 1 || out.String() != "Checkpoints.rollback.Claims.extra clone-extra.Marker: the marker → \n" {
		t.Errorf("%d differences: %s", n, out.String())
	}
}

// The table of a run says which claims stayed the same.
func TestTableOfClaims(t *testing.T) {
	t.Parallel()
	r := receiptstest.Observations(statement.ScenarioRestoreRequired, "amd64")
	r.Checkpoints[1].Claims[0].UID = "00000000-0000-4000-a000-000000000002"
	r.Checkpoints[2].Claims[1].Marker = ""
	r.Checkpoints[3].Claims = r.Checkpoints[3].Claims[:2]
	var out bytes.Buffer
	observations(&out, r)
	want, err := os.ReadFile("testdata/table.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Error(diff)
	}
}

// What a check wanted and found is derived: a receipt can say anything there.
func TestInspectDerivesChecks(t *testing.T) {
	t.Parallel()
	r := receiptstest.Receipt(statement.ScenarioUpdate)
	for i := range r.Checks {
		r.Checks[i].Want, r.Checks[i].Got = "a lie", "a lie"
	}
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	page{w}.checks(&r)
	_ = w.Flush()
	if strings.Contains(out.String(), "a lie") || !strings.Contains(out.String(), "no fault") {
		t.Error(out.String())
	}
}
