package gate

import (
	"fmt"
	"slices"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Validate says whether a gate can decide by the policy. The error is the first of its Problems.
func (p Policy) Validate() error {
	if problems := p.Problems(); len(problems) > 0 {
		return problems[0]
	}
	return nil
}

// Problems are all the mistakes for which no gate can decide by the policy, in a fixed order. Each begins with the member
// that it is about.
func (p Policy) Problems() []error {
	problems := p.missing()
	problems = append(problems, p.outOfRange()...)
	problems = append(problems, repeated("architectures", p.Architectures)...)
	problems = append(problems, repeated("scenarios", p.Scenarios)...)
	for i, d := range p.Dispositions {
		if d != statement.CompatibleRollback && d != statement.RestoreRequired {
			problems = append(problems, fmt.Errorf("dispositions[%d] %q: only %s and %s can promote", i, d, statement.CompatibleRollback, statement.RestoreRequired))
		}
	}
	_, unusable := p.trustedKeys()
	return append(problems, unusable...)
}

func (p Policy) missing() []error {
	var problems []error
	if p.Version != PolicyVersion {
		problems = append(problems, fmt.Errorf("version %q: want %q", p.Version, PolicyVersion))
	}
	if len(p.Architectures) == 0 {
		problems = append(problems, fmt.Errorf("architectures: name at least one, such as amd64"))
	}
	if len(p.Scenarios) == 0 {
		problems = append(problems, fmt.Errorf("scenarios: name at least one, such as %s", statement.ScenarioUpdate))
	}
	return problems
}

func (p Policy) outOfRange() []error {
	var problems []error
	if !statement.AtLeast(p.MinimumDepth, statement.Query) {
		problems = append(problems, fmt.Errorf("minimumDepth %q: want %s, %s, %s or %s", p.MinimumDepth, statement.Query, statement.Partial, statement.Joined, statement.Held))
	}
	if p.Threshold < 1 || p.Threshold > dsse.MaxSignatures {
		problems = append(problems, fmt.Errorf("threshold %d: want 1 to %d", p.Threshold, dsse.MaxSignatures))
	}
	if p.MaxAge < 0 || p.ClockSkew < 0 {
		problems = append(problems, fmt.Errorf("maxAge and clockSkew: want durations above zero"))
	}
	if p.Runs < 1 {
		problems = append(problems, fmt.Errorf("runs %d: want 1 or more", p.Runs))
	}
	return problems
}

// repeated are the names of a list that are empty or come twice.
func repeated(member string, names []string) []error {
	var problems []error
	for i, name := range names {
		switch {
		case name == "":
			problems = append(problems, fmt.Errorf("%s[%d]: empty", member, i))
		case slices.Contains(names[:i], name):
			problems = append(problems, fmt.Errorf("%s[%d]: %q twice", member, i, name))
		}
	}
	return problems
}
