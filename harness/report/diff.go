package report

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/printable"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Differences compares the facts of two receipts, without what is random in each run. It writes a line for each
// difference and returns their number.
func Differences(out io.Writer, a, b *statement.Receipt) int {
	reporter := &lineReporter{out: out}
	cmp.Equal(factsOf(a), factsOf(b), cmp.Reporter(reporter))
	return reporter.lines
}

// lineReporter writes differences as "path: left → right".
type lineReporter struct {
	out   io.Writer
	path  cmp.Path
	lines int
}

func (r *lineReporter) PushStep(step cmp.PathStep) { r.path = append(r.path, step) }

func (r *lineReporter) PopStep() { r.path = r.path[:len(r.path)-1] }

func (r *lineReporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	r.lines++
	left, right := r.path.Last().Values()
	fmt.Fprintf(r.out, "%s: %s → %s\n", printable.Line(pathOf(r.path)), side(left), side(right))
}

// side is one side of a difference.
func side(v reflect.Value) string {
	if !v.IsValid() {
		return "nothing"
	}
	return printable.Line(fmt.Sprintf("%+v", v.Interface()))
}

// pathOf writes a path for people: Checkpoints.candidate.Outcome.
func pathOf(path cmp.Path) string {
	var parts []string
	for _, step := range path {
		switch step := step.(type) {
		case cmp.StructField:
			parts = append(parts, step.Name())
		case cmp.MapIndex:
			parts = append(parts, fmt.Sprint(step.Key()))
		case cmp.SliceIndex:
			parts = append(parts, fmt.Sprint(step))
		}
	}
	return strings.Join(parts, ".")
}
