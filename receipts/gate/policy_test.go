package gate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/GameplanePanel/rehearsal/receipts/dsse"
	"github.com/GameplanePanel/rehearsal/receipts/gate"
	"github.com/GameplanePanel/rehearsal/receipts/receiptstest"
	"github.com/GameplanePanel/rehearsal/receipts/refusal"
	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

const smallPolicy = `{"version":"rehearsal/policy/v1","architectures":["amd64"],"scenarios":["update"]}`

func TestPolicyDefaultsAreStrict(t *testing.T) {
	t.Parallel()
	got, err := gate.ParsePolicy([]byte(smallPolicy))
	if err != nil {
		t.Fatal(err)
	}
	want := gate.Policy{
		Version: gate.PolicyVersion, Architectures: []string{"amd64"}, Scenarios: []string{"update"},
		Dispositions: []statement.Disposition{statement.CompatibleRollback},
		MinimumDepth: statement.Held, MaxAge: gate.Duration(168 * time.Hour), ClockSkew: gate.Duration(5 * time.Minute),
		Threshold: 1, Runs: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPoliciesRefused(t *testing.T) {
	t.Parallel()
	pem := func(name string) string {
		text, err := json.Marshal(string(receiptstest.Public(receiptstest.ECDSA(name)).PEM()))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	with := func(members string) string { return strings.TrimSuffix(smallPolicy, "}") + "," + members + "}" }
	tests := map[string]struct{ text, want string }{
		"empty":               {``, "want an object"},
		"no version":          {`{"architectures":["amd64"],"scenarios":["update"]}`, `no member "version"`},
		"another version":     {strings.Replace(smallPolicy, "/v1", "/v2", 1), `version "rehearsal/policy/v2": want`},
		"no architectures":    {strings.Replace(smallPolicy, `["amd64"]`, `[]`, 1), "architectures: name at least one"},
		"no scenarios":        {strings.Replace(smallPolicy, `["update"]`, `[]`, 1), "scenarios: name at least one"},
		"empty scenario":      {strings.Replace(smallPolicy, `["update"]`, `[""]`, 1), "scenarios[0]: empty"},
		"architecture twice":  {strings.Replace(smallPolicy, `["amd64"]`, `["amd64","amd64"]`, 1), `architectures[1]: "amd64" twice`},
		"unknown member":      {with(`"fixture":true`), `unknown member "fixture"`},
		"another case":        {with(`"MaxAge":"1h"`), `unknown member "MaxAge"`},
		"blocked disposition": {with(`"dispositions":["blocked/crash"]`), `dispositions[0] "blocked/crash": only`},
		"unknown depth":       {with(`"minimumDepth":"DEEP"`), `minimumDepth "DEEP"`},
		"age without unit":    {with(`"maxAge":"72"`), "maxAge: want a duration"},
		"age as a number":     {with(`"maxAge":72`), "maxAge: want a duration above zero with its unit, like 72h"},
		"zero expiry":         {with(`"expires":"0001-01-01T00:00:00Z"`), "expires: zero stands for none"},
		"zero end of a key":   {with(`"keys":[{"pem":` + pem("a") + `,"notAfter":"0001-01-01T00:00:00Z"}]`), "keys[0].notAfter: zero stands for none"},
		"negative threshold":  {with(`"threshold":-1`), "threshold -1: want 1 to"},
		"threshold too large": {with(`"threshold":17`), "threshold 17: want 1 to 16"},
		"negative runs":       {with(`"runs":-1`), "runs -1: want 1 or more"},
		"no PEM":              {with(`"keys":[{"pem":"x"}]`), "keys[0]: unusable key"},
		"key twice":           {with(`"keys":[{"pem":` + pem("a") + `},{"pem":` + pem("a") + `}]`), "keys[1]: the same key twice"},
		"key ends before it begins": {with(`"keys":[{"pem":` + pem("a") + `,"notBefore":"2026-02-01T00:00:00Z","notAfter":"2026-01-01T00:00:00Z"}]`),
			"keys[0]: notAfter is before notBefore"},
		"key of two kinds": {with(`"keys":[{"pem":` + pem("a") + `}],"overrideKeys":[{"pem":` + pem("a") + `}]`), "overrideKeys[0]: the key signs receipts too"},
		"too large":        {strings.Repeat(" ", gate.MaxPolicy+1), "at most"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := gate.ParsePolicy([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "policy") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Problems are all that is wrong; Validate and the gate name the first of them.
func TestPolicyProblems(t *testing.T) {
	t.Parallel()
	key := string(receiptstest.Public(receiptstest.ECDSA("a")).PEM())
	p := gate.Policy{
		Version: "v0", Architectures: []string{"", "amd64", "amd64"}, MinimumDepth: "DEEP", Threshold: -1, MaxAge: -1, Runs: -1,
		Dispositions: []statement.Disposition{"blocked/crash", statement.CompatibleRollback, "x"},
		Keys:         []gate.PolicyKey{{PEM: "x"}, {PEM: key, NotBefore: now(), NotAfter: now().Add(-time.Hour)}, {PEM: key}},
		OverrideKeys: []gate.PolicyKey{{PEM: "y"}, {PEM: key}},
	}
	want := []string{
		`version "v0"`, "scenarios: name at least one", `minimumDepth "DEEP"`, "threshold -1", "maxAge and clockSkew", "runs -1",
		"architectures[0]: empty", `architectures[2]: "amd64" twice`, `dispositions[0] "blocked/crash"`, `dispositions[2] "x"`,
		"keys[0]: ", "keys[1]: notAfter is before notBefore", "keys[2]: the same key twice",
		"overrideKeys[0]: ", "overrideKeys[1]: the key signs receipts too",
	}
	problems := p.Problems()
	if len(problems) != len(want) {
		t.Fatalf("%d problems, want %d: %v", len(problems), len(want), problems)
	}
	for i, problem := range problems {
		if !strings.HasPrefix(problem.Error(), want[i]) {
			t.Errorf("problem %d: %v, want %q", i, problem, want[i])
		}
	}
	if err := p.Validate(); err == nil || err.Error() != problems[0].Error() {
		t.Errorf("Validate: %v, want %v", err, problems[0])
	}
	d := gate.Decide(p, gate.Trust{}, gate.Question{}, nil, now())
	if sentence := "The policy cannot be used: " + problems[0].Error() + "."; !slices.ContainsFunc(d.Reasons, func(r gate.Reason) bool {
		return r.Code == refusal.PolicyInvalid && r.Message == sentence
	}) {
		t.Errorf("no reason %q in %+v", sentence, d.Reasons)
	}
}

// A zero time that is written out would be no bound at all, in whatever member it is.
func TestZeroTimesAreRefused(t *testing.T) {
	t.Parallel()
	key, err := json.Marshal(string(receiptstest.Public(receiptstest.ECDSA("a")).PEM()))
	if err != nil {
		t.Fatal(err)
	}
	around := map[string]string{ // what a member stands in, with %s for it
		"":             strings.TrimSuffix(smallPolicy, "}") + `,%s}`,
		"keys":         strings.TrimSuffix(smallPolicy, "}") + `,"keys":[{"pem":` + string(key) + `,%s}]}`,
		"overrideKeys": strings.TrimSuffix(smallPolicy, "}") + `,"overrideKeys":[{"pem":` + string(key) + `,%s}]}`,
	}
	members := map[string][]string{"": timesOf[gate.Policy](), "keys": timesOf[gate.PolicyKey](), "overrideKeys": timesOf[gate.PolicyKey]()}
	for outer, names := range members {
		if len(names) == 0 {
			t.Errorf("%q has no member that is a time", outer)
		}
		for _, name := range names {
			for _, zero := range []string{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"} {
				text := fmt.Sprintf(around[outer], fmt.Sprintf("%q:%q", name, zero))
				if _, err := gate.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), name+": zero stands for none") {
					t.Errorf("%s %s %s: %v", outer, name, zero, err)
				}
			}
		}
	}
}

// timesOf are the names in JSON of the members of a type that are times.
func timesOf[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Type == reflect.TypeFor[time.Time]() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

func TestPolicyDigestIncludesTheDefaults(t *testing.T) {
	t.Parallel()
	p, err := gate.ParsePolicy([]byte(smallPolicy))
	if err != nil {
		t.Fatal(err)
	}
	bare := gate.Policy{Version: gate.PolicyVersion, Architectures: []string{"amd64"}, Scenarios: []string{"update"}}
	if p.Digest() != bare.Digest() || !statement.IsDigest(p.Digest()) {
		t.Errorf("with its defaults written out it is %s, without %s", p.Digest(), bare.Digest())
	}
	bare.Fixtures = true
	if p.Digest() == bare.Digest() {
		t.Error("another policy has the same digest")
	}
}

func TestTrustOf(t *testing.T) {
	t.Parallel()
	a, b, o := receiptstest.Public(receiptstest.ECDSA("a")), receiptstest.Public(receiptstest.ECDSA("b")), receiptstest.Public(receiptstest.ECDSA("o"))
	p := suitePolicy()
	p.Keys = []gate.PolicyKey{{PEM: string(a.PEM()), Revoked: true}}
	p.OverrideKeys = []gate.PolicyKey{{PEM: string(o.PEM())}}
	trusted, err := gate.TrustOf(p, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(trusted.Receipts) != 2 || !trusted.Receipts[0].Revoked || trusted.Receipts[1].ID() != b.ID() || trusted.Overrides[0].ID() != o.ID() {
		t.Errorf("a key that the policy revokes is trusted when it is given again: %+v", trusted)
	}
	if _, err := gate.TrustOf(p, o); !errors.Is(err, dsse.ErrKey) {
		t.Errorf("the key of overrides is taken for receipts: %v", err)
	}
	p.Keys[0].PEM = "x"
	if _, err := gate.TrustOf(p); !errors.Is(err, dsse.ErrKey) {
		t.Errorf("no key: %v", err)
	}
}

func TestPolicyWarnings(t *testing.T) {
	t.Parallel()
	good := gate.Policy{
		Version: gate.PolicyVersion, Architectures: []string{"amd64"}, Scenarios: receiptstest.Scenarios(), Challenge: true,
		Keys: []gate.PolicyKey{{PEM: string(receiptstest.Public(signer()).PEM()), NotAfter: now().Add(90 * 24 * time.Hour)}},
	}
	if got := good.Warnings(now()); len(got) > 0 {
		t.Errorf("a good policy: %q", got)
	}
	tests := map[string]struct {
		change func(p *gate.Policy)
		want   string
	}{
		"unknown scenario":     {func(p *gate.Policy) { p.Scenarios = append(p.Scenarios, "upgrade") }, `scenarios: "upgrade" is not known`},
		"no bad image":         {func(p *gate.Policy) { p.Scenarios = []string{statement.ScenarioUpdate} }, "scenarios: no bad image"},
		"unknown architecture": {func(p *gate.Policy) { p.Architectures = []string{"x86_64"} }, `architectures: "x86_64" is no GOARCH`},
		"fixtures":             {func(p *gate.Policy) { p.Fixtures = true }, "fixtures"},
		"emulated":             {func(p *gate.Policy) { p.Emulated = true }, "emulated"},
		"egress":               {func(p *gate.Policy) { p.OpenEgress = true }, "openEgress"},
		"no challenge":         {func(p *gate.Policy) { p.Challenge = false }, "challenge"},
		"old evidence":         {func(p *gate.Policy) { p.MaxAge = gate.Duration(60 * 24 * time.Hour) }, "maxAge"},
		"wide skew":            {func(p *gate.Policy) { p.ClockSkew = gate.Duration(2 * time.Hour) }, "clockSkew"},
		"shallow":              {func(p *gate.Policy) { p.MinimumDepth = statement.Query }, "minimumDepth"},
		"expired":              {func(p *gate.Policy) { p.Expires = now().Add(-time.Hour) }, "expires"},
		"key expired":          {func(p *gate.Policy) { p.Keys[0].NotAfter = now().Add(-time.Hour) }, "keys[0]: expired"},
		"key expires soon":     {func(p *gate.Policy) { p.Keys[0].NotAfter = now().Add(time.Hour) }, "keys[0]: expires"},
		"threshold not met":    {func(p *gate.Policy) { p.Threshold = 2 }, "threshold: 2 keys must sign"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := good
			p.Keys = append([]gate.PolicyKey{}, good.Keys...)
			tt.change(&p)
			if got := fmt.Sprint(p.Warnings(now())); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %q", got, tt.want)
			}
		})
	}
}
