package report

import (
	"crypto"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// The table names what holds each candidate. A run of one case qualifies nothing.
func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run  *receiptstest.Run
		want []string // the decisions, a line each
	}{
		"all cases": {receiptstest.NewRun("amd64"), []string{
			"hold: candidate-blocked | hold: candidate-blocked",
			"hold: candidate-blocked | hold: candidate-blocked",
			"hold: disposition-not-allowed | promote",
			"promote | promote",
		}},
		"one case": {receiptstest.RunOf("amd64", statement.ScenarioCompatibleRollback), []string{
			"hold: required-cell-missing | hold: required-cell-missing",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signer := receiptstest.ECDSA("harness")
			dir := signInto(t, test.run, signer)
			var out strings.Builder
			if err := Decisions(&out, dir, signer.Public(), receiptstest.Scenarios(), test.run.Receipts); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
				cells := strings.Split(line, "  ")
				var filled []string
				for _, cell := range cells {
					if cell = strings.TrimSpace(cell); cell != "" {
						filled = append(filled, cell)
					}
				}
				if len(filled) != 4 || !statement.IsDigest(filled[3]) {
					t.Fatalf("line %q", line)
				}
				got = append(got, filled[1]+" | "+filled[2])
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("decisions (-want +got):\n%s", diff)
			}
		})
	}
}

// signInto signs a run that ended just now into a directory.
func signInto(t *testing.T, run *receiptstest.Run, signer crypto.Signer) string {
	t.Helper()
	run.Shift = time.Since(receiptstest.Time()).Truncate(time.Second) - 10*time.Minute
	inputs, err := run.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, input := range inputs {
		if err := os.WriteFile(filepath.Join(dir, input.Name), input.Raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
