// Package suite turns the flags of a run of the suite into an operator and the cases to play, and compares what came out.
package suite

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/GameplanePanel/rehearsal/cmd/rehearsal/internal/exit"
	"github.com/GameplanePanel/rehearsal/harness/gameplane"
	"github.com/GameplanePanel/rehearsal/harness/stage"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
	"github.com/GameplanePanel/rehearsal/scenarios"
)

// Names of operators.
const (
	Reference = "reference"
	Gameplane = "gameplane"
)

// Flags are the values of the flags that choose a suite.
type Flags struct {
	Operator  string
	Source    string   // directory of the operator's source, for Gameplane
	Scenarios []string // all, where none is named
}

// Suite is what a run plays, and under which operator.
type Suite struct {
	Operator stage.Operator
	All      []string // the scenarios of the whole suite
	Cases    []scenarios.Case
}

// New reads the flags. Its error has an exit code.
func New(flags Flags) (Suite, error) {
	operator, all, err := flags.operator()
	if err != nil {
		return Suite{}, err
	}
	cases, err := choose(all, flags.Scenarios)
	if err != nil {
		return Suite{}, exit.Usage("%w", err)
	}
	return Suite{Operator: operator, All: Names(all), Cases: cases}, nil
}

// operator returns the operator to install, and the cases with what is expected of it.
func (f Flags) operator() (stage.Operator, []scenarios.Case, error) {
	switch {
	case f.Operator == Reference && f.Source != "":
		return nil, nil, exit.Usage("--operator-source needs --operator %s", Gameplane)
	case f.Operator == Reference:
		return stage.Reference{}, scenarios.Cases(), nil
	case f.Operator != Gameplane:
		return nil, nil, exit.Usage("no operator %q: want %s or %s", f.Operator, Reference, Gameplane)
	case f.Source == "":
		return nil, nil, exit.Usage("--operator %s needs --operator-source, the directory of a source tree (%s)", Gameplane, gameplane.Repository)
	}
	if err := gameplane.Check(f.Source); err != nil {
		return nil, nil, exit.Cannot(err)
	}
	return stage.Gameplane{Source: f.Source}, scenarios.GameplaneCases(), nil
}

// choose returns the wanted cases in the order of their names; without names, all.
func choose(all []scenarios.Case, wanted []string) ([]scenarios.Case, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var chosen []scenarios.Case
	for _, name := range wanted {
		i := slices.Index(Names(all), name)
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q: there are %s", name, strings.Join(Names(all), ", "))
		}
		if slices.Contains(Names(chosen), name) {
			return nil, fmt.Errorf("scenario %s is named twice", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// Names returns the scenarios of cases.
func Names(cases []scenarios.Case) []string {
	out := make([]string, len(cases))
	for i, c := range cases {
		out[i] = c.Scenario
	}
	return out
}

// Compare prints what the operator cannot do, and how the run differs from what its cases expect.
func (s Suite) Compare(out io.Writer, played []statement.Receipt) (asExpected bool) {
	deviations := scenarios.Deviations(s.Cases, played)
	list(out, "what this operator cannot do:", scenarios.Limits(played))
	list(out, "not as expected:", deviations)
	return len(deviations) == 0
}

func list(out io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(out, "\n"+title)
	for _, line := range lines {
		fmt.Fprintln(out, "  "+line)
	}
}
