package runconfig

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// schemaText is the JSON Schema of configuration files. It has the comments of the types, which the program itself has
// not.
//
//go:embed schema/config.schema.json
var schemaText []byte

// Key is one key of a configuration, for documentation.
type Key struct {
	Path        string // such as candidates.image
	Type        string // such as "DNS label"
	Default     string // as it is written in YAML, or ""
	Required    bool   // where the mapping that it belongs to is there
	Description string
	mapping     bool
}

// Keys are all keys in the order of the types. A mapping comes before its keys.
func Keys() []Key { return slices.Clone(allKeys()) }

var allKeys = sync.OnceValue(func() []Key {
	var schema schemaNode
	if err := json.Unmarshal(schemaText, &schema); err != nil {
		panic(fmt.Sprintf("embedded schema: %v", err)) // a test compares it with the types
	}
	return keysWith(func(path string) string { return schema.at(path).Description })
})

// schemaNode is what the descriptions of a schema are read with.
type schemaNode struct {
	Description string                `json:"description"`
	Properties  map[string]schemaNode `json:"properties"`
	Items       *schemaNode           `json:"items"`
}

func (n schemaNode) at(path string) schemaNode {
	for part := range strings.SplitSeq(path, ".") {
		if n.Items != nil {
			n = *n.Items
		}
		n = n.Properties[part]
	}
	return n
}

// keysWith are the keys with descriptions from elsewhere.
func keysWith(describe func(path string) string) []Key {
	var defaults Config
	defaults.complete()
	keys := appendKeys(nil, reflect.ValueOf(defaults), "")
	for i := range keys {
		keys[i].Description = describe(keys[i].Path)
	}
	return keys
}

func appendKeys(keys []Key, defaults reflect.Value, parent string) []Key {
	for i, name := range keysOf(defaults.Type()) {
		value := defaults.Field(i)
		key := Key{
			Path:     join(parent, name),
			Required: required(defaults.Type(), name),
			Default:  written(value),
		}
		key.Type = typeOf(ruleOf(key.Path))
		nested := value.Type()
		if nested.Kind() == reflect.Slice {
			nested = nested.Elem()
		}
		key.mapping = nested.Kind() == reflect.Struct
		keys = append(keys, key)
		if key.mapping && value.Kind() == reflect.Slice {
			value = reflect.New(nested).Elem()
		}
		if key.mapping {
			keys = appendKeys(keys, value, key.Path)
		}
	}
	return keys
}

// written is a default in YAML, or "" where there is none.
func written(value reflect.Value) string {
	switch {
	case value.Kind() == reflect.Bool:
		return fmt.Sprint(value.Bool())
	case value.IsZero(), value.Kind() == reflect.Struct:
		return ""
	case value.Kind() == reflect.Slice:
		return strings.ReplaceAll(fmt.Sprint(value.Interface()), " ", ", ")
	}
	return fmt.Sprint(value.Interface())
}

func typeOf(r rule) string {
	_, name, _ := strings.Cut(r.name, " ")
	switch {
	case len(r.values) > 0:
		return strings.Join(r.values, " or ")
	case r.name == "a truth value":
		return "true or false"
	}
	return name
}
