package runconfig

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mapping reads a mapping into a struct, whose fields are all the keys that it can have.
func (r *reader) mapping(node *yaml.Node, into reflect.Value, key string) {
	keys := keysOf(into.Type())
	if node.Kind != yaml.MappingNode {
		r.mistake(node, key, "want a mapping of %s, got %s", strings.Join(keys, ", "), described(node))
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if !r.key(name, key, keys, seen) {
			continue
		}
		r.value(value, into.FieldByIndex(fieldOf(into.Type(), name.Value)), join(key, name.Value))
	}
	for _, name := range keys {
		if at := join(key, name); seen[name] == nil && required(into.Type(), name) {
			r.mistake(node, at, "missing: give %s", ruleOf(at).want())
		}
	}
}

// key says whether a key is one of those, and not there twice. It notes in seen what the mapping has, or was to have.
func (r *reader) key(node *yaml.Node, parent string, keys []string, seen map[string]*yaml.Node) bool {
	if problem := unsupported(node); problem != "" {
		r.mistake(node, parent, "%s", problem)
		return false
	}
	if node.Kind != yaml.ScalarNode {
		r.mistake(node, parent, "a key is text, got %s: give one of %s", described(node), strings.Join(keys, ", "))
		return false
	}
	at := join(parent, printableKey(node.Value))
	if node.ShortTag() == "!!merge" {
		r.mistake(node, at, "merge keys are not supported: write the keys out")
		return false
	}
	if !slices.Contains(keys, node.Value) {
		near := nearest(node.Value, keys)
		r.mistake(node, at, "unknown key; %s", suggestion(node.Value, near, parent, keys))
		if near != "" && seen[near] == nil {
			seen[near] = node // one mistake is enough: near is misspelt, and not missing
		}
		return false
	}
	if before := seen[node.Value]; before != nil && before.Value == node.Value {
		r.mistake(node, at, "the key is there twice, first in line %d: remove one", before.Line)
		return false
	}
	seen[node.Value] = node
	return true
}

// suggestion says which key may be meant: one nearby, or one of the same name elsewhere in the file.
func suggestion(key, near, parent string, keys []string) string {
	if near != "" {
		return "did you mean " + near + "?"
	}
	for _, known := range Keys() {
		if _, last := splitKey(known.Path); last == key && known.Path != withoutIndexes(join(parent, key)) {
			return "did you mean " + known.Path + "?"
		}
	}
	return "want one of " + strings.Join(keys, ", ")
}

// keysOf are the keys of a struct, in the order of its fields.
func keysOf(t reflect.Type) []string {
	var keys []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

func fieldOf(t reflect.Type, key string) []int { return []int{slices.Index(keysOf(t), key)} }

// required says whether a key must be there: its field is never left out when it is written.
func required(t reflect.Type, key string) bool {
	_, options, _ := strings.Cut(t.Field(fieldOf(t, key)[0]).Tag.Get("json"), ",")
	return options == ""
}

func join(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}

func splitKey(path string) (parent, last string) {
	if dot := strings.LastIndex(path, "."); dot >= 0 {
		return path[:dot], path[dot+1:]
	}
	return "", path
}
