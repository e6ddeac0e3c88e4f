package runconfig

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/GameplanePanel/rehearsal/receipts/statement"
)

// Limits of a configuration.
const (
	MaxText       = 1024 // bytes of a text that has no limit below
	MaxName       = 63   // bytes of a name for a version
	MaxCandidates = 16
	MaxVariables  = 64 // variables of server.env
	MaxExitCodes  = 16
	MaxPatterns   = 16
	MaxPattern    = 256 // bytes of a regular expression
)

// rule says what is right for a key. The messages, the JSON Schema and the documentation come from it.
type rule struct {
	name     string             // with its article: "a DNS label"
	example  string             // for messages about a value that is missing
	check    func(string) error // of text: what to change
	pattern  string             // check as far as a JSON Schema can say it
	values   []string           // all that is right
	min, max int                // of a number, and of the entries of a list; max is also that of a text's bytes
}

var (
	flag      = rule{name: "a truth value", example: "true"}
	file      = rule{name: "a file", max: MaxText}
	label     = rule{name: "a DNS label", example: "games", check: dnsLabel, pattern: labelPattern, max: 63}
	subdomain = rule{name: "a DNS name", example: "nightly-2026-01-31", check: dnsSubdomain, pattern: subdomainPattern, max: 253}
	field     = rule{name: "a dotted path", example: "spec.templateRevision", check: dottedPath, pattern: pathPattern, max: 253}
	image     = rule{name: "an image reference", example: "registry.example/game@sha256:DIGEST", check: imageReference, max: MaxText}
	version   = rule{name: "a version's name", example: "1.21.4", max: MaxName}
	digest    = rule{name: "a digest", example: "sha256:DIGEST", check: sha256Digest, pattern: digestPattern, max: 71}
	prefix    = rule{name: "a repository prefix", example: "registry.example/rehearsal", check: repositoryPrefix, pattern: prefixPattern, max: 255}
	duration  = rule{name: "a duration", example: "90s", pattern: durationPattern}
)

var controls = []string{statement.ScenarioUnpullable, statement.ScenarioHTTPOnly}

// rules has a rule for every key, and for the entries of lists of plain values under the list's key with "[]".
var rules = map[string]rule{
	"version": {name: "a version of the form", values: []string{Version}},

	"cluster":            mapping("namespace: games"),
	"cluster.kubeconfig": {name: "a file", example: "default", max: MaxText},
	"cluster.context":    {name: "a context's name", max: MaxText},
	"cluster.egress":     {name: "closed or open", values: []string{EgressClosed, EgressOpen}},
	"cluster.namespace":  label,

	"operator":                    mapping("namespace: " + DefaultOperatorNamespace),
	"operator.namespace":          label,
	"operator.deployment":         subdomain,
	"operator.fields":             mapping("policy: " + DefaultPolicyField),
	"operator.fields.policy":      field,
	"operator.fields.request":     field,
	"operator.fields.pending":     field,
	"operator.fields.revisions":   field,
	"operator.fields.backupImage": field,

	"server":           mapping("name: survival"),
	"server.name":      label,
	"server.env":       {name: "a list of variables", example: "[{name: ONLINE_MODE, value: FALSE}]", min: 1, max: MaxVariables},
	"server.env[]":     mapping("name: ONLINE_MODE, value: \"FALSE\""),
	"server.env.name":  {name: "the name of a variable", example: "ONLINE_MODE", max: MaxName},
	"server.env.value": {name: "a text", max: MaxText},

	"baseline":       mapping("name: 1.21.1"),
	"baseline.name":  version,
	"baseline.image": image,

	"candidates":        {name: "a list of mappings", example: "[{name: 1.21.4, image: REFERENCE}]", min: 1, max: MaxCandidates},
	"candidates[]":      mapping("name: 1.21.4, image: REFERENCE"),
	"candidates.name":   version,
	"candidates.image":  image,
	"candidates.bundle": digest,

	"seed":        mapping("backup: nightly-2026-01-31"),
	"seed.backup": subdomain,

	"game":          mapping("port: 25565"),
	"game.client":   {name: "a client", values: []string{DefaultClient}},
	"game.port":     {name: "a port", example: "25565", min: 1, max: math.MaxUint16},
	"game.protocol": {name: "a protocol version", example: "769", min: 1, max: math.MaxInt32},
	"game.player":   {name: "a player's name", example: DefaultPlayer, check: playerName, pattern: playerPattern, max: 16},

	"refusal":               mapping("exitCodes: [3]"),
	"refusal.exitCodes":     {name: "a list of exit codes", example: "[3]", min: 1, max: MaxExitCodes},
	"refusal.exitCodes[]":   {name: "an exit code", example: "3", min: 1, max: 255},
	"refusal.logPatterns":   {name: "a list of regular expressions", min: 1, max: MaxPatterns},
	"refusal.logPatterns[]": {name: "a regular expression", check: regularExpression, max: MaxPattern},

	"limits":       mapping("start: 2m"),
	"limits.start": duration,
	"limits.join":  duration,
	"limits.hold":  duration,
	"limits.copy":  duration,
	"limits.stop":  duration,

	"controls":   {name: "a list of bad images", example: "[" + statement.ScenarioHTTPOnly + "]", min: 0, max: len(controls)},
	"controls[]": {name: "a bad image", values: controls},

	"images":            mapping("registry: registry.example/rehearsal"),
	"images.registry":   prefix,
	"images.push":       prefix,
	"images.insecure":   flag,
	"images.pullSecret": subdomain,

	"policy": file,
	"key":    file,
	"out":    {name: "a directory", example: DefaultOut, max: MaxText},
}

func mapping(example string) rule { return rule{name: "a mapping", example: "{" + example + "}"} }

// ruleOf is the rule of a key with or without indexes.
func ruleOf(key string) rule {
	path := withoutIndexes(key)
	if strings.HasSuffix(key, "]") {
		path += "[]"
	}
	return rules[path]
}

// want names what is right, with an example.
func (r rule) want() string {
	switch {
	case len(r.values) > 0:
		return strings.Join(r.values, " or ")
	case r.example == "":
		return r.name
	}
	return r.name + " such as " + r.example
}

// leaveOutOrGive says what to do about a key that has no value.
func leaveOutOrGive(key string) string {
	known, _ := Explain(key)
	give := "give " + ruleOf(key).want()
	switch {
	case strings.HasSuffix(key, "]"):
		return "remove the entry, or " + give
	case known.Required || key == "":
		return give
	}
	return "leave the key out, or " + give
}

// placeholder begins each value of the example that its reader must replace.
const placeholder = "REPLACE_ME"

// problem says what is wrong with a text, or "".
func (r rule) problem(text, key string) string {
	switch {
	case text == "":
		return "empty: " + leaveOutOrGive(key)
	case strings.HasPrefix(text, placeholder):
		return "the example's value is still there: give " + r.want()
	case strings.TrimSpace(text) != text || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return quoted(text) + " has control characters or space around it: remove them"
	case r.values != nil:
		return r.unknown(text)
	case r.max > 0 && len(text) > r.max:
		return fmt.Sprintf("%s has %d bytes: give at most %d", quoted(text), len(text), r.max)
	case r.check == nil:
		return ""
	}
	if err := r.check(text); err != nil {
		return fmt.Sprintf("%s is not %s: %v", quoted(text), r.name, err)
	}
	return ""
}

// unknown is about text that is none of the rule's values.
func (r rule) unknown(text string) string {
	if slices.Contains(r.values, text) {
		return ""
	}
	if near := nearest(text, r.values); near != "" {
		return fmt.Sprintf("%s is not known; did you mean %s?", quoted(text), near)
	}
	return fmt.Sprintf("%s is not known; want %s", quoted(text), r.want())
}
