package main

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

// Values of --operator.
const (
	referenceOperator = "reference"
	gameplaneOperator = "gameplane"
)

// suite returns the operator to install, and the cases with what is expected of it.
func (o runOptions) suite() (stage.Operator, []scenarios.Case, error) {
	switch {
	case o.operator == referenceOperator && o.source != "":
		return nil, nil, exit.Usage("--operator-source needs --operator %s", gameplaneOperator)
	case o.operator == referenceOperator:
		return stage.Reference{}, scenarios.Cases(), nil
	case o.operator != gameplaneOperator:
		return nil, nil, exit.Usage("no operator %q: want %s or %s", o.operator, referenceOperator, gameplaneOperator)
	case o.source == "":
		return nil, nil, exit.Usage("--operator %s needs --operator-source, the directory of a source tree (%s)", gameplaneOperator, gameplane.Repository)
	}
	if err := gameplane.Check(o.source); err != nil {
		return nil, nil, exit.Cannot(err)
	}
	return stage.Gameplane{Source: o.source}, scenarios.GameplaneCases(), nil
}

// choose returns the wanted cases in the order of their names; without names, all.
func choose(all []scenarios.Case, wanted []string) ([]scenarios.Case, error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var chosen []scenarios.Case
	for _, name := range wanted {
		i := slices.Index(names(all), name)
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q: there are %s", name, strings.Join(names(all), ", "))
		}
		if slices.Contains(names(chosen), name) {
			return nil, fmt.Errorf("scenario %s is named twice", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func names(cases []scenarios.Case) []string {
	out := make([]string, len(cases))
	for i, c := range cases {
		out[i] = c.Scenario
	}
	return out
}

// compare prints what the operator cannot do, and how the run differs from what its cases expect.
func compare(out io.Writer, cases []scenarios.Case, played []statement.Receipt) (asExpected bool) {
	for _, section := range []struct {
		title string
		lines []string
	}{
		{"what this operator cannot do:", scenarios.Limits(played)},
		{"not as expected:", scenarios.Deviations(cases, played)},
	} {
		if len(section.lines) == 0 {
			continue
		}
		fmt.Fprintln(out, "\n"+section.title)
		for _, line := range section.lines {
			fmt.Fprintln(out, "  "+line)
		}
	}
	return len(scenarios.Deviations(cases, played)) == 0
}
