package runconfig

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader turns the nodes of a file into a Config. It goes on after a mistake, so that one reading finds all of them. It
// goes only as deep as the types do.
type reader struct {
	file     string
	mistakes Mistakes
	nodes    map[string]*yaml.Node // the node of each key's value, such as candidates[0].image
}

func (r *reader) mistake(at *yaml.Node, key, format string, args ...any) {
	r.mistakes = append(r.mistakes, r.finding(at, key, format, args...))
}

func (r *reader) finding(at *yaml.Node, key, format string, args ...any) Finding {
	return Finding{File: r.file, Line: at.Line, Column: at.Column, Key: key, Text: fmt.Sprintf(format, args...)}
}

// value reads the value of a key into a field.
func (r *reader) value(node *yaml.Node, into reflect.Value, key string) {
	r.nodes[key] = node
	if problem := unsupported(node); problem != "" {
		r.mistake(node, key, "%s", problem)
		return
	}
	if node.ShortTag() == "!!null" {
		r.mistake(node, key, "no value: %s", leaveOutOrGive(key))
		return
	}
	if into.Type() == durationType {
		r.duration(node, into, key)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		r.mapping(node, into, key)
	case reflect.Slice:
		r.list(node, into, key)
	case reflect.String:
		r.text(node, into, key)
	case reflect.Int:
		r.number(node, into, key)
	case reflect.Bool:
		r.truth(node, into, key)
	}
}

// unsupported is about YAML that could make a small file a large value, or a value another than it looks.
func unsupported(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.AliasNode:
		return fmt.Sprintf("aliases such as %s are not supported: write the value out", quoted("*"+node.Value))
	case node.Anchor != "":
		return fmt.Sprintf("anchors are not supported: remove %s", quoted("&"+node.Anchor))
	case node.Style&yaml.TaggedStyle != 0:
		return fmt.Sprintf("tags are not supported: remove %s", quoted(node.Tag))
	}
	return ""
}

func (r *reader) list(node *yaml.Node, into reflect.Value, key string) {
	rule := ruleOf(key)
	if node.Kind != yaml.SequenceNode {
		r.mistake(node, key, "want a list, got %s: write [ ] around it, or a line with - for each entry", described(node))
		return
	}
	if n := len(node.Content); n < rule.min || n > rule.max {
		r.mistake(node, key, "the list has %d entries: give %d to %d", n, rule.min, rule.max)
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
	first := map[string]int{}
	for i, entry := range node.Content {
		at := fmt.Sprintf("%s[%d]", key, i)
		r.value(entry, into.Index(i), at)
		if entry.Kind != yaml.ScalarNode {
			continue
		}
		if before, ok := first[entry.Value]; ok {
			r.mistake(entry, at, "%s is in the list already, as %s[%d]: remove one", quoted(entry.Value), key, before)
			continue
		}
		first[entry.Value] = i
	}
}

func (r *reader) text(node *yaml.Node, into reflect.Value, key string) {
	rule := ruleOf(key)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		r.mistake(node, key, "want text, got %s: %s", described(node), rule.asText(node))
		return
	}
	if problem := rule.problem(node.Value, key); problem != "" {
		r.mistake(node, key, "%s", problem)
		return
	}
	into.SetString(node.Value)
}

// asText says how to write text where YAML reads something else, such as a number in the version 1.21.
func (r rule) asText(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode && r.values == nil {
		return "write " + quoted(node.Value)
	}
	return "give " + r.want()
}

// decimal leaves out YAML's other forms of whole numbers, such as 0x10, 010 and 1_000.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func (r *reader) number(node *yaml.Node, into reflect.Value, key string) {
	rule := ruleOf(key)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || !decimal.MatchString(node.Value) {
		r.mistake(node, key, "want a whole number, got %s: give %s", described(node), rule.want())
		return
	}
	n, err := strconv.Atoi(node.Value)
	if err != nil || n < rule.min || n > rule.max {
		r.mistake(node, key, "%s is not %s: give %d to %d", shortened(node.Value), rule.name, rule.min, rule.max)
		return
	}
	into.SetInt(int64(n))
}

func (r *reader) truth(node *yaml.Node, into reflect.Value, key string) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		r.mistake(node, key, "want true or false, got %s", described(node))
		return
	}
	into.SetBool(strings.EqualFold(node.Value, "true"))
}

var durationType = reflect.TypeFor[Duration]()

func (r *reader) duration(node *yaml.Node, into reflect.Value, key string) {
	if node.Kind != yaml.ScalarNode {
		r.mistake(node, key, "want a duration, got %s: give %s", described(node), ruleOf(key).want())
		return
	}
	d, err := parseDuration(node.Value)
	if err != nil {
		r.mistake(node, key, "%s %v", quoted(node.Value), err)
		return
	}
	into.SetInt(int64(d))
}
